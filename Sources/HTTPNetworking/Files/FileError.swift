#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A call of the system's on a file that failed.
///
/// It is the cause of an ``HTTPError`` with the code ``HTTPError/Code/bodyUnreadable`` or
/// ``HTTPError/Code/fileUnwritable``.
public struct FileError: Error {
    /// What was called, such as "open" or "rename".
    public var operation: String

    /// The system's number of the error, such as `ENOENT`.
    public var code: Int32

    /// Makes an error.
    public init(operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// The error of the call that has just failed on this thread.
    static func last(_ operation: String) -> FileError {
        FileError(operation: operation, code: errno)
    }
}

extension FileError: CustomStringConvertible {
    /// What was called and how it failed, without the path.
    public var description: String {
        "\(operation) failed: \(String(cString: strerror(code))) (\(code))"
    }
}

extension FileError: Hashable {}

extension FileError: Sendable {}
