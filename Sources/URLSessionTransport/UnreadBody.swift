#if canImport(FoundationNetworking)
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The part of a streamed body that has arrived but has not been read.
///
/// URLSession on Linux has no backpressure: a suspended task continues to receive. Blocking URLSession's queue is not
/// possible either, because all sessions share that queue. So bytes that don't fit into memory wait in a file without a
/// name. The file is removed when this object is released.
///
/// Pieces go through a pipe to the reader, in the order in which they arrived. ``fill()`` fills the pipe, on the queue
/// where results are delivered. Any thread may call the other methods.
final class UnreadBody: TransportBody {
    private struct State {
        var bytes: UnreadBytes
        /// The result of the body; nil before its end.
        var end: Result<Void, any Error>?
        /// True while a thread fills the pipe, or is about to.
        var isFilling = false
    }

    private enum Step {
        case write(Data)
        case end(Result<Void, any Error>)
        case wait
    }

    private let pipe: HTTPBodyPipe
    /// Runs a function on the queue where results are delivered.
    private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Locked<State>

    /// Creates an empty body.
    ///
    /// - Parameters:
    ///   - pipe: The pipe to the reader.
    ///   - limit: The largest number of bytes kept in memory.
    ///   - folder: The folder of the file.
    ///   - deliver: Runs functions one after the other, on the queue where results are delivered.
    init(
        for pipe: HTTPBodyPipe, limit: Int, folder: URL,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.pipe = pipe
        self.deliver = deliver
        state = Locked(State(bytes: UnreadBytes(limit: limit, folder: folder)))
    }

    /// Appends a piece; does nothing if the body has ended.
    ///
    /// - Returns: A resolved future, because there is always room.
    /// - Throws: An `HTTPError` if the piece does not fit into memory and the file cannot be written.
    func takeBytes(_ data: Data) throws -> Future<Void> {
        try state.withLock { state in
            guard state.end == nil else { return }
            do {
                try state.bytes.append(data)
            } catch {
                let error = HTTPError(code: .fileUnwritable, cause: error)
                // This piece is missing from the body, so no other piece may follow.
                state.end = .failure(error)
                throw error
            }
        }
        fillSoon()
        return Future(value: ())
    }

    /// Ends the stream.
    ///
    /// If the call was cancelled or its time has passed, the stream ends at once. Otherwise, it ends after the bytes
    /// that have arrived.
    func endBody(_ result: Result<Void, any Error>) {
        guard case .failure(let error) = result,
            error is CancellationError || (error as? HTTPError)?.code == .timedOut
        else {
            state.withLock { $0.end = result }
            return fillSoon()
        }
        let bytes = state.withLock { state in
            state.end = result
            return state.bytes.takeAll()
        }
        // The bytes are released here, so that the file is closed outside the lock.
        _ = bytes
        pipe.fail(error)
    }

    private func fillSoon() {
        let isWanted = state.withLock { state in
            if state.isFilling { return false }
            state.isFilling = true
            return true
        }
        if isWanted { deliver { self.fill() } }
    }

    /// Moves bytes into the pipe while it has room.
    private func fill() {
        while true {
            switch next() {
            case .wait: return
            case .end(.success): return pipe.finish()
            case .end(.failure(let error)): return pipe.fail(error)
            case .write(let data):
                let room = pipe.write(data)
                if room.isSettled { continue }
                room.observe { _ in self.deliver { self.fill() } }
                return
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            do {
                if pipe.isOpen, let data = try state.bytes.next() { return .write(data) }
            } catch {
                return .end(.failure(HTTPError(code: .fileUnwritable, cause: error)))
            }
            state.isFilling = false
            return state.end.map { .end($0) } ?? .wait
        }
    }
}

/// Bytes that wait for a reader: the first in memory up to a limit, the rest in a file.
struct UnreadBytes: Sendable {
    private let limit: Int
    private let folder: URL
    private var pieces: [Data] = []
    /// The index of the first unread piece.
    private var first = 0
    /// The number of bytes in the pieces.
    private(set) var countInMemory = 0
    /// The bytes after the pieces; nil if all bytes have fitted into memory.
    private var file: UnlinkedFile?

    /// Creates an empty queue of bytes.
    ///
    /// - Parameters:
    ///   - limit: The largest number of bytes kept in memory.
    ///   - folder: The folder of the file.
    init(limit: Int, folder: URL) {
        self.limit = limit
        self.folder = folder
    }

    /// Appends bytes.
    ///
    /// - Throws: `FileError` if the bytes do not fit into memory and the file cannot be written.
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
    /// - Throws: `FileError` if the file cannot be read.
    mutating func next() throws -> Data? {
        guard first < pieces.count else { return try file?.next(upTo: 65_536) }
        let piece = pieces[first]
        pieces[first] = Data()
        countInMemory -= piece.count
        first += 1
        // The pieces move only after half of them have been read, so that reading takes amortised constant time.
        if first == pieces.count || first > 32 && 2 * first > pieces.count {
            pieces.removeFirst(first)
            first = 0
        }
        return piece
    }

    /// Removes all bytes, so that the caller can release them.
    mutating func takeAll() -> UnreadBytes {
        defer { self = UnreadBytes(limit: limit, folder: folder) }
        return self
    }
}

/// A queue of bytes in a file without a name.
///
/// The system removes the file when it is closed, however the process ends. One thread at a time uses the queue.
final class UnlinkedFile: Sendable {
    private let place: URL
    private let descriptor: Int32
    /// How many bytes have been written, and how many read, since the file was last empty.
    private let ends = Locked((written: Int64(0), read: Int64(0)))

    /// Creates an empty file that only its owner can read.
    ///
    /// - Throws: The error of the system call that failed.
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

    /// True if all written bytes have been read.
    var isEmpty: Bool { ends.withLock { $0.written == $0.read } }

    /// Appends bytes.
    ///
    /// - Throws: The error of the system call that failed.
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
    /// After the last byte has been read, the file is emptied.
    ///
    /// - Parameter size: The largest number of bytes to read.
    /// - Throws: The error of the system call that failed.
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

    /// Returns an offset in the system's type, which has 32 bits on some systems.
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
