#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Writes a line to standard error about an effect that failed without an event.
///
/// A store calls it for such an error, unless it has another `onFailure`.
///
/// - Parameter error: The error.
@Sendable
public func reportUnhandled(_ error: any Error) {
    let line = """
        Store: an effect failed, and no event says so: \(error). Use Effect.request, or recover from \
        the error, or give the store an onFailure.

        """
    var bytes = Array(line.utf8)[...]
    while !bytes.isEmpty {
        let written = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        guard written > 0 else { return }
        bytes = bytes.dropFirst(written)
    }
}
