import Dispatch
import PledgeFutures
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

extension HTTPBodyStream {
    /// A stream of a file's bytes, which reads a chunk each time one is requested.
    ///
    /// This method opens the file on the caller's thread. The file is closed when the stream ends or is cancelled. Each
    /// file is read on a queue of its own, because reading a file blocks a thread for as long as the disk takes. The
    /// chunks' futures settle on that queue.
    ///
    /// - Parameters:
    ///   - file: The file. Its length is read when it is opened. If the file shrinks or grows while it is read,
    ///     the stream fails with an ``HTTPError`` with the code ``HTTPError/Code/bodyLengthMismatch``.
    ///   - size: The largest chunk, in bytes. Less than one is a programming error and traps.
    /// - Throws: An ``HTTPError`` with the code ``HTTPError/Code/bodyUnreadable`` and a ``FileError`` as its
    ///   cause, if there is no readable regular file. If reading fails later, the stream fails with such an
    ///   error.
    public static func file(
        _ file: URL, chunksOf size: Int = 65_536
    ) throws(HTTPError) -> HTTPBodyStream {
        try self.file(file, from: 0, chunksOf: size)
    }

    /// A stream of a file's bytes from a position on; nothing if the file ends before.
    package static func file(
        _ file: URL, from start: Int64, chunksOf size: Int = 65_536
    ) throws(HTTPError) -> HTTPBodyStream {
        precondition(size > 0, "a chunk has at least 1 byte, not \(size)")
        let reader: FileReader
        do { reader = try FileReader(file, from: start) } catch { throw .unreadable(error) }
        // A small file needs no large buffer. The extra byte detects a file that has grown.
        let size = Int(Swift.min(Int64(size), reader.length + 1))
        return HTTPBodyStream(
            length: reader.length,
            next: {
                reader.read(upTo: size).mapError { error in
                    error is FileError ? HTTPError.unreadable(error) : error
                }
            }
        )
        .checkingLength(reader.length)
    }
}

extension HTTPError {
    /// The error of a body whose file cannot be read, with the system's error as its reason.
    package static func unreadable(_ file: URL, cause: any Error) -> HTTPError {
        var reason: String?
        do { _ = try FileReader(file) } catch { reason = "\(error)" }
        return HTTPError(code: .bodyUnreadable, cause: cause, reason: reason)
    }

    /// The error of a call whose request's body failed with the given error.
    ///
    /// An `HTTPError` or a `CancellationError` stays as it is; any other error becomes the cause of
    /// `bodyUnreadable`.
    package static func failure(ofBody error: any Error) -> any Error {
        error is HTTPError || error is CancellationError ? error : unreadable(error)
    }

    fileprivate static func unreadable(_ cause: any Error) -> HTTPError {
        HTTPError(code: .bodyUnreadable, cause: cause)
    }
}

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
    public init(operation: String, code: Int32, path: String? = nil) {
        self.operation = operation
        self.code = code
        self.path = path
    }

    /// The error of the system call that has just failed on this thread.
    package static func last(_ operation: String, _ file: URL) -> FileError {
        FileError(operation: operation, code: errno, path: file.path)
    }
}

extension FileError: CustomStringConvertible, LocalizedError, CodedError, ShownCause {
    /// The system call, the file, and the failure.
    public var description: String {
        let file = path.map { " \(SafeText.line($0, upTo: 300))" } ?? ""
        if let reason { return "\(operation)\(file) was refused: it \(reason)" }
        return "\(operation)\(file) failed: \(String(cString: strerror(code))) (\(code))"
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }

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

/// A file that is open for reading, from its start to its end.
///
/// Only this object uses the descriptor. When the object is released, it closes the descriptor; a read in progress
/// keeps the object alive. Reads run on the file's own queue, because the system blocks the thread that reads a file.
final class FileReader: Sendable {
    /// The length when the file was opened, in bytes.
    let length: Int64

    private let file: URL
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "Pledge.FileReader")

    /// Opens a file, and blocks until the system has opened it.
    ///
    /// - Parameter start: The position of the first byte to read.
    /// - Throws: The error of the system call that failed. Only regular files are opened: others, such as folders and
    ///   pipes, have no length.
    init(_ file: URL, from start: Int64 = 0) throws(FileError) {
        // Without O_NONBLOCK, opening a pipe would wait for a writer. The flag has no effect on regular files.
        let descriptor = file.withPath { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .last("open", file) }
        do throws(FileError) {
            length = max(0, try Self.length(of: descriptor, file) - start)
            guard start == 0 || lseek(descriptor, off_t(start), SEEK_SET) >= 0 else {
                throw .last("lseek", file)
            }
        } catch {
            close(descriptor)
            throw error
        }
        self.file = file
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Reads the next bytes.
    ///
    /// - Parameter size: The most bytes to read.
    /// - Returns: A future of the bytes, or of nil at the file's end. It settles on the file's queue.
    func read(upTo size: Int) -> Future<Data?> {
        Future.make { resolver in
            queue.async {
                do {
                    let chunk = try self.readNow(upTo: size)
                    resolver.resolve(with: chunk.isEmpty ? nil : chunk)
                } catch {
                    resolver.reject(with: error)
                }
            }
        }
    }

    private func readNow(upTo size: Int) throws(FileError) -> Data {
        // `Data(count:)` would fill the memory with zeros first.
        guard let bytes = malloc(size) else { throw .last("malloc", file) }
        while true {
            let count = readBytes(descriptor, bytes, size)
            if count >= 0 { return Data(bytesNoCopy: bytes, count: count, deallocator: .free) }
            if errno == EINTR { continue }
            let error = FileError.last("read", file)
            free(bytes)
            throw error
        }
    }

    private static func length(of descriptor: Int32, _ file: URL) throws(FileError) -> Int64 {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw .last("fstat", file) }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: return Int64(facts.st_size)
        case S_IFDIR: throw FileError(operation: "open", code: EISDIR, path: file.path)
        default: throw FileError(operation: "open", code: ENOTSUP, path: file.path)
        }
    }

    /// The current length of a file, in bytes; nil if it is not known.
    static func length(of file: URL) -> Int64? {
        var facts = stat()
        guard file.withPath({ stat($0, &facts) }) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int64(facts.st_size)
    }
}

extension URL {
    /// The permissions of the file at this URL; nil if there is no file.
    package var filePermissions: UInt32? {
        var facts = stat()
        guard withPath({ stat($0, &facts) }) == 0 else { return nil }
        return UInt32(facts.st_mode & 0o777)
    }

    /// The permissions of the file with this name; nil if there is none, or a link or a folder.
    package var permissionsOfFile: UInt32? {
        var facts = stat()
        guard withPath({ lstat($0, &facts) }) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return UInt32(facts.st_mode & 0o777)
    }

    /// True if there is a folder with this name, or a link to one.
    package var isFolder: Bool {
        var facts = stat()
        return withPath { stat($0, &facts) } == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether this is the path of an open file.
    package func isName(of descriptor: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && withPath { lstat($0, &named) } == 0
            && (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
    }

    /// Calls a system function with the file's path.
    ///
    /// - Returns: The function's result; -1, with `EINVAL` in `errno`, if this is not a file URL.
    package func withPath(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
        guard isFileURL else {
            errno = EINVAL
            return -1
        }
        return withUnsafeFileSystemRepresentation { path in
            guard let path else {
                errno = EINVAL
                return -1
            }
            return body(path)
        }
    }
}
