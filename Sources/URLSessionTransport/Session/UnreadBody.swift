#if canImport(FoundationNetworking)
import Foundation
import PledgeFutures
import PledgeHTTPNetworking

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
#endif
