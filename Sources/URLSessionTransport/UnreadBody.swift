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

/// The part of a streamed body that has arrived and has not been read.
///
/// URLSession on Linux has no backpressure: a suspended task continues to receive, and all sessions share the
/// one queue on which URLSession could be blocked. So bytes that do not fit into memory wait in a file
/// without a name, which is removed when this object is released.
///
/// Pieces go through a pipe, and its reader gets them in the order in which they were put here. ``fill()``
/// fills the pipe where results are delivered; the other functions may be called on any thread.
final class UnreadBody: TransportBody {
    private struct State {
        var bytes: UnreadBytes
        /// How the body has ended; nil before the end.
        var end: Result<Void, any Error>?
        /// Whether a thread fills the pipe, or is about to.
        var isFilling = false
    }

    private enum Step {
        case write(Data)
        case end(Result<Void, any Error>)
        case wait
    }

    private let pipe: HTTPBodyPipe
    /// Runs a function where results are delivered.
    private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - pipe: Where the reader gets the bytes.
    ///   - limit: The maximum number of bytes kept in memory.
    ///   - folder: The folder of the file.
    ///   - deliver: Runs a function where results are delivered, one after the other.
    init(
        for pipe: HTTPBodyPipe, limit: Int, folder: URL,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.pipe = pipe
        self.deliver = deliver
        state = Locked(State(bytes: UnreadBytes(limit: limit, folder: folder)))
    }

    /// Appends a piece, which always fits; does nothing if the body has ended.
    ///
    /// - Throws: An `HTTPError` if the piece does not fit into memory and the file cannot be written.
    func take(_ data: Data) throws -> Future<Void> {
        try state.withLock { state in
            guard state.end == nil else { return }
            do {
                try state.bytes.append(data)
            } catch {
                let error = HTTPError(code: .fileUnwritable, cause: error)
                // No later piece may follow one that is missing.
                state.end = .failure(error)
                throw error
            }
        }
        fillSoon()
        return Future(value: ())
    }

    /// Ends the stream: at once if the caller's time is over or the call was cancelled, otherwise after the
    /// bytes that have arrived.
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
        // Releasing the bytes here closes the file outside the lock.
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
                return room.observe { _ in self.deliver { self.fill() } }
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

/// Bytes that wait for a reader: the first ones in memory, up to a limit, the rest in a file.
struct UnreadBytes: Sendable {
    private let limit: Int
    private let folder: URL
    private var pieces: [Data] = []
    /// The index of the first unread piece.
    private var first = 0
    /// The number of bytes in the pieces.
    private(set) var countInMemory = 0
    /// The bytes after the pieces; nil if no bytes had to be written to a file.
    private var file: UnlinkedFile?

    /// - Parameters:
    ///   - limit: The maximum number of bytes kept in memory.
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
        // Amortised constant time: the array is moved when half of it has been read.
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
