import Dispatch
import PledgeFutures
import PledgeServices

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

// The system's functions, for types with methods of the same names.

package func readBytes(_ file: Int32, _ start: UnsafeMutableRawPointer, _ size: Int) -> Int {
    read(file, start, size)
}

/// Writes bytes to a file, like the system's `write`; code in a type with a method of that name can't call it.
package func writeBytes(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}
