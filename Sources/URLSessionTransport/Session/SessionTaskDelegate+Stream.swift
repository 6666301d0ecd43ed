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
    /// Begins to hand out a body piece by piece.
    ///
    /// - Returns: Its stream, nil where the exchange is over.
    func open(_ id: Int, length: Int?) -> HTTPBodyStream? {
        let unread = state.withLock { state in
            state.entries[id]?.recipient = .served
            return state.entries[id]?.unread
        }
        let capacity = min(65_536, configuration.maxUnreadBytes)
        return unread?.open(length: length, capacity: capacity) { [weak self] in self?.cancel(id) }
    }

    /// Hands out a piece of a body.
    func pass(_ data: Data, of id: Int) {
        let unread = state.withLock { $0.entries[id]?.unread }
        do {
            try unread?.append(data)
        } catch {
            deliver { self.fail(id, with: .fileUnwritable, cause: error) }
        }
    }

    /// What keeps the body of a call for its reader.
    func unreadBody() -> UnreadBody {
        UnreadBody(
            limit: configuration.maxUnreadBytes, folder: configuration.spoolFolder, deliver: callers
        )
    }
}

extension SessionTaskDelegate.Entry {
    /// Tells the body's reader that all has come.
    func finish() { unread?.end(.success(())) }

    /// Tells the body's reader that no more will come: at once where the caller's time is over or the
    /// call was cancelled, else after what has come.
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
    /// Begins to hand out a body piece by piece.
    ///
    /// - Returns: Its stream, nil where the exchange is over.
    func open(_ id: Int, length: Int?) -> HTTPBodyStream? {
        let (pipe, body) = HTTPBodyPipe.make(
            length: length, capacity: configuration.maxUnreadBytes)
        state.withLock { state in
            state.entries[id]?.pipe = pipe
            state.entries[id]?.recipient = .served
        }
        pipe.onCancel { [weak self] in self?.cancel(id) }
        return body
    }

    /// Hands out a piece of a body, and suspends its task until there is room for the next.
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
    /// Tells the body's reader that all has come.
    func finish() { pipe?.finish() }

    /// Tells the body's reader that no more will come.
    func failBody(with error: any Error) { pipe?.fail(error) }
}
#endif
