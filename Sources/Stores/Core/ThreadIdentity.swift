#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A number that tells the threads that run now apart.
///
/// It is never zero.
@usableFromInline
func threadIdentity() -> UInt {
    #if canImport(Glibc) || canImport(Android)
    UInt(truncatingIfNeeded: pthread_self())
    #else
    UInt(bitPattern: pthread_self())
    #endif
}
