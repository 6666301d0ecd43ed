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
    func takeBytes(_ data: Data) throws -> Future<Void> {
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

#endif
