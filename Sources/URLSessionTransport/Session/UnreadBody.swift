#if canImport(FoundationNetworking)
import Foundation
import Futures
import HTTPNetworking

/// The part of a streamed body that has arrived and has not been read.
///
/// URLSession on Linux has no backpressure: a suspended task continues to receive, and all sessions share the
/// one queue on which URLSession could be blocked. So bytes that do not fit into memory wait in a file
/// without a name, which is removed when this object is released.
///
/// Pieces go through a pipe, and its reader gets them in the order in which they were put here. ``fill()``
/// fills the pipe where results are delivered; the other functions may be called on any thread.
final class UnreadBody: Sendable {
    private struct State {
        var bytes: UnreadBytes
        /// Nil before the head has been delivered.
        var pipe: HTTPBodyPipe?
        /// How the body has ended; nil before the end.
        var end: Result<Void, any Error>?
        /// Whether a thread fills the pipe, or is about to.
        var isFilling = false
    }

    private enum Step {
        case write(Data, HTTPBodyPipe)
        case end(Result<Void, any Error>, HTTPBodyPipe)
        case wait
    }

    /// Runs a function where results are delivered.
    private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - limit: The maximum number of bytes kept in memory.
    ///   - folder: The folder of the file.
    ///   - deliver: Runs a function where results are delivered, one after the other.
    init(
        limit: Int, folder: URL,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.deliver = deliver
        state = Locked(State(bytes: UnreadBytes(limit: limit, folder: folder)))
    }

    /// Makes the stream, which its reader may give up.
    ///
    /// - Parameters:
    ///   - length: The announced length, in bytes.
    ///   - capacity: The maximum number of bytes in the pipe.
    func open(
        length: Int64?, capacity: Int, onCancel: @escaping @Sendable () -> Void
    ) -> HTTPBodyStream {
        let (pipe, body) = HTTPBodyPipe.make(length: length, capacity: capacity)
        state.withLock { $0.pipe = pipe }
        pipe.onCancel(onCancel)
        fillSoon()
        return body
    }

    /// Appends a piece; does nothing if the body has ended.
    ///
    /// - Throws: `FileError` if the piece does not fit into memory and the file cannot be written.
    func append(_ data: Data) throws {
        try state.withLock { state in
            guard state.end == nil else { return }
            do {
                try state.bytes.append(data)
            } catch {
                // No later piece may follow one that is missing.
                state.end = .failure(error)
                throw error
            }
        }
        fillSoon()
    }

    /// Ends the stream after the bytes that have arrived.
    func end(_ result: Result<Void, any Error>) {
        state.withLock { $0.end = result }
        fillSoon()
    }

    /// Fails the stream, and discards the bytes that its reader has not asked for.
    func abandon(_ error: any Error) {
        let (pipe, bytes) = state.withLock { state in
            state.end = .failure(error)
            return (state.pipe, state.bytes.takeAll())
        }
        // Releasing the bytes here closes the file outside the lock.
        _ = bytes
        pipe?.fail(error)
    }

    private func fillSoon() {
        let isWanted = state.withLock { state in
            guard !state.isFilling, state.pipe != nil else { return false }
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
            case .end(.success, let pipe): return pipe.finish()
            case .end(.failure(let error), let pipe): return pipe.fail(error)
            case .write(let data, let pipe):
                let room = pipe.write(data)
                if room.isSettled { continue }
                return room.observe { _ in self.deliver { self.fill() } }
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            guard let pipe = state.pipe else { return .wait }
            do {
                if pipe.isOpen, let data = try state.bytes.next() { return .write(data, pipe) }
            } catch {
                let error = HTTPError(code: .fileUnwritable, cause: error)
                return .end(.failure(error), pipe)
            }
            state.isFilling = false
            return state.end.map { .end($0, pipe) } ?? .wait
        }
    }
}
#endif
