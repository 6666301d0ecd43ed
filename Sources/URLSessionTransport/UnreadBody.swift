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

/// The part of a streamed body that has arrived but hasn't been read.
///
/// URLSession on Linux has no backpressure: a suspended task continues to receive, and blocking its queue would block
/// all sessions. So bytes beyond the limit wait in a file without a name, which goes away with this object.
///
/// Pieces reach the reader through a pipe, in order. ``fill()`` fills it, on the queue where results are delivered. Any
/// thread may call the other methods.
final class UnreadBody: TransportBody {
    private struct State {
        var bytes: UnreadBytes
        /// Nil before the body's end.
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

    /// - Parameters:
    ///   - pipe: Leads to the reader.
    ///   - limit: The most bytes in memory.
    ///   - folder: The folder of the file.
    ///   - deliver: Runs functions one by one, on the queue where results are delivered.
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
    /// - Throws: An `HTTPError` if the file can't be written.
    func take(_ data: Data) throws -> Future<Void> {
        try state.withLock { state in
            guard state.end == nil else { return }
            do {
                try state.bytes.append(data)
            } catch {
                let error = HTTPError(code: .fileUnwritable, cause: error)
                // The body lacks this piece, so no other may follow.
                state.end = .failure(error)
                throw error
            }
        }
        fillSoon()
        return Future(value: ())
    }

    /// Ends the stream: at once if the call was cancelled or its time has passed, and otherwise after the bytes that
    /// have arrived.
    func end(_ result: Result<Void, any Error>) {
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
        // Released here, so that the file is closed outside the lock.
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
