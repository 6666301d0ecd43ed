#if canImport(FoundationNetworking)
import Foundation
import PledgeFutures
import PledgeHTTPMessages

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Bytes that wait for a reader: in memory up to a limit, and then in a file.
struct UnreadBytes: Sendable {
    private let limit: Int
    private let folder: URL
    private var pieces: [Data] = []
    /// The first unread piece.
    private var first = 0
    private(set) var countInMemory = 0
    /// The bytes after the pieces; nil if all have fitted into memory.
    private var file: UnlinkedFile?

    /// `limit` is the most bytes in memory.
    init(limit: Int, folder: URL) {
        self.limit = limit
        self.folder = folder
    }

    /// - Throws: `FileError` if the file can't be written.
    mutating func append(_ data: Data) throws {
        let isFileEmpty = file?.isEmpty ?? true
        guard !isFileEmpty || data.count > limit - countInMemory else {
            pieces.append(data)
            countInMemory += data.count
            return
        }
        let file = try file ?? UnlinkedFile(in: folder)
        self.file = file
        try file.append(data)
    }

    /// Removes and returns the next bytes; nil if there are none.
    ///
    /// - Throws: `FileError` if the file can't be read.
    mutating func next() throws -> Data? {
        guard first < pieces.count else { return try file?.next(upTo: 65_536) }
        let piece = pieces[first]
        pieces[first] = Data()
        countInMemory -= piece.count
        first += 1
        // Only after half of them were read, so that reading takes amortised constant time.
        if first == pieces.count || first > 32 && 2 * first > pieces.count {
            pieces.removeFirst(first)
            first = 0
        }
        return piece
    }

    /// Removes all bytes, for the caller to release.
    mutating func takeAll() -> UnreadBytes {
        defer { self = UnreadBytes(limit: limit, folder: folder) }
        return self
    }
}

/// A queue of bytes in a file without a name, which the system removes however the process ends.
///
/// One thread at a time uses it.
final class UnlinkedFile: Sendable {
    private let place: URL
    private let descriptor: Int32
    /// Bytes written and read since the file was last empty.
    private let ends = Locked((written: Int64(0), read: Int64(0)))

    /// Creates a file that only its owner can read.
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

    var isEmpty: Bool { ends.withLock { $0.written == $0.read } }

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

    /// The next bytes; nil if all were read.
    ///
    /// The file is emptied after the last one.
    ///
    /// - Parameter size: The most bytes to read.
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

    /// The offset in the system's type, which has 32 bits on some systems.
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
