#if canImport(FoundationNetworking)
import Foundation
import PledgeFutures
import PledgeHTTPNetworking

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A queue of bytes in a file without a name: the system removes it when it is closed, however the process
/// ends.
///
/// One thread at a time uses it.
final class UnlinkedFile: Sendable {
    private let place: URL
    private let descriptor: Int32
    /// The offsets up to which the file has been written and read.
    private let ends = Locked((written: Int64(0), read: Int64(0)))

    /// Makes an empty file that only its owner can read.
    ///
    /// - Throws: The error of the call that failed.
    init(in folder: URL) throws(FileError) {
        let place = folder.appendingPathComponent("Pledge-\(UUID().uuidString)")
        let descriptor = place.withPath { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw .last("open", place) }
        guard place.withPath({ unlink($0) }) == 0 else {
            let error = FileError.last("unlink", place)
            close(descriptor)
            throw error
        }
        self.place = place
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether everything that was written has been read.
    var isEmpty: Bool { ends.withLock { $0.written == $0.read } }

    /// Appends bytes.
    ///
    /// - Throws: The error of the call that failed.
    func append(_ data: Data) throws(FileError) {
        var rest = data[...]
        while !rest.isEmpty {
            let offset = try systemOffset(ends.withLock { $0.written })
            let count = rest.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, offset)
            }
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw .last("write", place)
            }
            ends.withLock { $0.written += Int64(count) }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads the next bytes; nil if all have been read.
    ///
    /// The file is emptied after its last byte has been read.
    ///
    /// - Parameter size: The maximum number of bytes.
    /// - Throws: The error of the call that failed.
    func next(upTo size: Int) throws(FileError) -> Data? {
        let (written, read) = ends.withLock { $0 }
        guard read < written else { return nil }
        let offset = try systemOffset(read)
        var data = Data(count: Int(min(Int64(size), written - read)))
        var count = -1
        repeat {
            count = data.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, offset)
            }
        } while count < 0 && errno == EINTR
        guard count > 0 else { throw .last("read", place) }
        data.count = count
        ends.withLock { $0.read += Int64(count) }
        if isEmpty { try empty() }
        return data
    }

    /// An offset as the system takes it, which has 32 bits on some systems.
    private func systemOffset(_ offset: Int64) throws(FileError) -> off_t {
        guard let offset = off_t(exactly: offset) else {
            throw FileError(operation: "write", code: EFBIG, path: place.path)
        }
        return offset
    }

    private func empty() throws(FileError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .last("ftruncate", place) }
        ends.withLock { $0 = (0, 0) }
    }
}
#endif
