#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A number that identifies a running thread.
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
