public import PledgeHTTPText
public import PledgeServices

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A failed system call on a file.
///
/// It is the cause of an ``HTTPError`` with the code ``HTTPError/Code/bodyUnreadable`` or
/// ``HTTPError/Code/fileUnwritable``.
public struct FileError: Error, Sendable {
    /// The system call, such as "open" or "rename".
    public var operation: String

    /// The error number, such as `ENOENT`.
    public var code: Int32

    /// The file's path; nil if it is not known.
    public var path: String?

    /// What is wrong with the file, and what to do, in place of the system's words; nil if those say it.
    package var reason: String?

    /// Creates an error.
    package init(operation: String, code: Int32, path: String? = nil) {
        self.operation = operation
        self.code = code
        self.path = path
    }

    package static func last(_ operation: String, _ file: URL) -> FileError {
        FileError(operation: operation, code: errno, path: file.path)
    }
}

extension FileError: CustomStringConvertible, DescribedError, CodedError, ShownCause {
    /// The system call, the file, and the failure.
    public var description: String {
        let file = path.map { " \(SafeText.line($0, upTo: 300))" } ?? ""
        if let reason { return "\(operation)\(file) was refused: it \(reason)" }
        return "\(operation)\(file) failed: \(String(cString: strerror(code))) (\(code))"
    }

    /// The system call and the error number, like "open2".
    public var loggedCode: String { "\(operation)\(code)" }
}

extension FileError: Hashable {
    /// Returns whether the same system call failed with the same error number, on any file.
    public static func == (left: FileError, right: FileError) -> Bool {
        left.operation == right.operation && left.code == right.code
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        operation.hash(into: &hasher)
        code.hash(into: &hasher)
    }
}
