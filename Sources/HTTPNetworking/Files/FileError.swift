#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The error of a failed system call on a file.
///
/// It is the cause of an ``HTTPError`` with the code ``HTTPError/Code/bodyUnreadable`` or
/// ``HTTPError/Code/fileUnwritable``.
public struct FileError: Error {
    /// The system call, such as "open" or "rename".
    public var operation: String

    /// The error number, such as `ENOENT`.
    public var code: Int32

    /// The path of the file; nil if it is not known.
    public var path: String?

    /// Makes an error.
    public init(operation: String, code: Int32, path: String? = nil) {
        self.operation = operation
        self.code = code
        self.path = path
    }

    /// The error of the call that has just failed on this thread.
    package static func last(_ operation: String, _ file: URL) -> FileError {
        FileError(operation: operation, code: errno, path: file.path)
    }
}

extension FileError: CustomStringConvertible {
    /// The call, the file, and the failure.
    public var description: String {
        let file = path.map { " \(SafeText.line($0, upTo: 300))" } ?? ""
        return "\(operation)\(file) failed: \(String(cString: strerror(code))) (\(code))"
    }
}

extension FileError: Hashable {
    /// Whether the same call failed with the same number, on any file.
    public static func == (left: FileError, right: FileError) -> Bool {
        left.operation == right.operation && left.code == right.code
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        operation.hash(into: &hasher)
        code.hash(into: &hasher)
    }
}

extension FileError: Sendable {}
