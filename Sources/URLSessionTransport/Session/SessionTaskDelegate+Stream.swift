import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

#if canImport(FoundationNetworking)
extension SessionTaskDelegate {
    /// Begins to deliver a body piece by piece.
    ///
    /// - Returns: The body's stream; nil if the exchange is over.
    func open(_ id: Int, length: Int64?) -> HTTPBodyStream? {
        let unread = state.withLock { state in
            state.entries[id]?.recipient = .served
            return state.entries[id]?.unread
        }
        let capacity = min(65_536, configuration.maxUnreadBytes)
        return unread?.open(length: length, capacity: capacity) { [weak self] in self?.cancel(id) }
    }

    /// Delivers a piece of a body.
    func pass(_ data: Data, of id: Int) {
        let unread = state.withLock { $0.entries[id]?.unread }
        do {
            try unread?.append(data)
        } catch {
            deliver { self.fail(id, with: .fileUnwritable, cause: error) }
        }
    }

    /// The buffer that keeps a call's body for its reader.
    func unreadBody() -> UnreadBody {
        UnreadBody(
            limit: configuration.maxUnreadBytes, folder: configuration.spoolFolder, deliver: callers
        )
    }
}

extension SessionTaskDelegate.Entry {
    /// Ends the body's stream: all of it has arrived.
    func finish() { unread?.end(.success(())) }

    /// Fails the body's stream: at once if the caller's time is over or the call was cancelled, otherwise
    /// after the bytes that have arrived.
    func failBody(with error: any Error) {
        if error is CancellationError || (error as? HTTPError)?.code == .timedOut {
            unread?.abandon(error)
        } else {
            unread?.end(.failure(error))
        }
    }
}
#else
extension SessionTaskDelegate {
    /// Begins to deliver a body piece by piece.
    ///
    /// - Returns: The body's stream; nil if the exchange is over.
    func open(_ id: Int, length: Int64?) -> HTTPBodyStream? {
        let (pipe, body) = HTTPBodyPipe.make(
            length: length, capacity: configuration.maxUnreadBytes)
        state.withLock { state in
            state.entries[id]?.pipe = pipe
            state.entries[id]?.recipient = .served
        }
        pipe.onCancel { [weak self] in self?.cancel(id) }
        return body
    }

    /// Delivers a piece of a body, and suspends its task until there is room for the next piece.
    func pass(_ data: Data, of id: Int) {
        guard let entry = state.withLock({ $0.entries[id] }), let pipe = entry.pipe else { return }
        let room = pipe.write(data)
        if room.isSettled { return }
        entry.task.suspend()
        tell(id) { machine, _ in machine.hold() }
        room.observe { [weak self] _ in
            self?.tell(id) { machine, now in machine.goOn(at: now) }
            entry.task.resume()
        }
    }
}

extension SessionTaskDelegate.Entry {
    /// Ends the body's stream: all of it has arrived.
    func finish() { pipe?.finish() }

    /// Fails the body's stream.
    func failBody(with error: any Error) { pipe?.fail(error) }
}
#endif
