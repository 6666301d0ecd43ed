#if canImport(FoundationNetworking)
import Foundation
import Futures
import HTTPNetworking

/// What has come of a body that is handed out piece by piece, and has not been read.
///
/// Nothing holds a server back there: a task that is suspended goes on receiving, and the queue on
/// which URLSession could be kept waiting is the one of all sessions. So what does not fit into memory
/// waits in a file without a name, which goes with this object.
///
/// Pieces go through a pipe, whose reader sees them in the order in which they were put here. The pipe
/// is filled by ``fill()``, where callers are told; the other functions may be called on any thread.
final class UnreadBody: Sendable {
    private struct State {
        var bytes: UnreadBytes
        /// Nil before the head has been handed out.
        var pipe: HTTPBodyPipe?
        /// How the body has ended, nil before that.
        var end: Result<Void, any Error>?
        /// Whether somebody fills the pipe, or is about to.
        var isFilling = false
    }

    private enum Step {
        case write(Data, HTTPBodyPipe)
        case end(Result<Void, any Error>, HTTPBodyPipe)
        case wait
    }

    /// Calls a function where callers are told.
    private let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let state: Locked<State>

    /// - Parameters:
    ///   - limit: How many bytes are kept in memory.
    ///   - folder: Where the file is made.
    ///   - deliver: Calls a function where callers are told, one after the other.
    init(
        limit: Int, folder: URL,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.deliver = deliver
        state = Locked(State(bytes: UnreadBytes(limit: limit, folder: folder)))
    }

    /// Makes the stream, whose reader may give it up.
    ///
    /// - Parameters:
    ///   - length: How many bytes were announced.
    ///   - capacity: How many bytes may wait in the pipe.
    func open(
        length: Int?, capacity: Int, onCancel: @escaping @Sendable () -> Void
    ) -> HTTPBodyStream {
        let (pipe, body) = HTTPBodyPipe.make(length: length, capacity: capacity)
        state.withLock { $0.pipe = pipe }
        pipe.onCancel(onCancel)
        fillSoon()
        return body
    }

    /// Puts a piece behind the others; nothing where the body has ended.
    ///
    /// - Throws: `FileError` where it does not fit into memory, and the file cannot be written.
    func append(_ data: Data) throws {
        try state.withLock { state in
            guard state.end == nil else { return }
            do {
                try state.bytes.append(data)
            } catch {
                // Nothing may follow what is missing.
                state.end = .failure(error)
                throw error
            }
        }
        fillSoon()
    }

    /// Ends the stream after what has come.
    func end(_ result: Result<Void, any Error>) {
        state.withLock { $0.end = result }
        fillSoon()
    }

    /// Fails the stream, and forgets what its reader has not asked for.
    func abandon(_ error: any Error) {
        let (pipe, bytes) = state.withLock { state in
            state.end = .failure(error)
            return (state.pipe, state.bytes.takeAll())
        }
        // The file is closed outside the lock.
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

    /// Moves bytes into the pipe as long as it has room.
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
