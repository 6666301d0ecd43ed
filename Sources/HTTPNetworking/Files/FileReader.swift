import Dispatch
import PledgeFutures

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A file that is open for reading, from its start to its end.
///
/// Only this object uses the descriptor, and closes it when it is released; a read that is under way keeps
/// the object. Reads run on a queue of the file, because the system's reads of files block.
final class FileReader {
    /// How many bytes it had when it was opened.
    let length: Int64

    private let file: URL
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "Pledge.FileReader")

    /// Opens a file; blocks until the system has opened it.
    ///
    /// - Throws: The error of the call that failed. Other files than regular ones, such as a folder or a
    ///   pipe, are refused: they have no length.
    init(_ file: URL) throws(FileError) {
        // Non-blocking: otherwise the open of a pipe would wait for a writer. It has no effect on regular
        // files.
        let descriptor = file.withPath { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .last("open", file) }
        do {
            length = try Self.length(of: descriptor, file)
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
    /// - Parameter size: How many bytes at most.
    /// - Returns: A future of the bytes; nil at the end. It settles on the file's queue.
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
        // Not `Data(count:)`, which would fill it with zeros first.
        guard let bytes = malloc(size) else { throw .last("malloc", file) }
        while true {
            #if canImport(Darwin)
            let count = Darwin.read(descriptor, bytes, size)
            #elseif canImport(Glibc)
            let count = Glibc.read(descriptor, bytes, size)
            #elseif canImport(Musl)
            let count = Musl.read(descriptor, bytes, size)
            #elseif canImport(Android)
            let count = Android.read(descriptor, bytes, size)
            #endif
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

    /// The current length of a file in bytes; nil if it is not known.
    static func length(of file: URL) -> Int64? {
        var facts = stat()
        guard file.withPath({ stat($0, &facts) }) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int64(facts.st_size)
    }
}

extension FileReader: Sendable {}

extension URL {
    /// The permissions of the file at this URL; nil if there is none.
    package var filePermissions: UInt32? {
        var facts = stat()
        guard withPath({ stat($0, &facts) }) == 0 else { return nil }
        return UInt32(facts.st_mode & 0o777)
    }

    /// Calls a system function with the path of a file.
    ///
    /// - Returns: What it returns; -1, with `EINVAL` in `errno`, if the URL is not a file URL.
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
