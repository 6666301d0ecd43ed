import Dispatch
import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate {
    /// Gives up an exchange whose caller wants it no more.
    func cancel(_ id: Int) {
        guard let entry = remove(id) else { return }
        stop(entry.task)
        entry.fail(with: CancellationError())
    }

    /// Fails an exchange, and cancels its task.
    func fail(
        _ id: Int, with code: HTTPError.Code, cause: (any Error)? = nil, reason: String? = nil
    ) {
        guard let entry = remove(id) else { return }
        stop(entry.task)
        entry.fail(
            with: HTTPError(
                code: code, request: entry.call.request, response: entry.machine.response,
                cause: cause, reason: reason))
    }

    /// Removes an exchange from the table: the caller that gets it tells its recipient, and no
    /// other does.
    func remove(_ id: Int) -> Entry? {
        let entry = state.withLock { $0.entries.removeValue(forKey: id) }
        entry?.idleTimer?.cancel()
        entry?.deadlineTimer?.cancel()
        if entry != nil { invalidateIfDone() }
        return entry
    }

    /// Cancels a task: on Linux that waits for a queue of the session, which no caller must.
    func stop(_ task: URLSessionTask) { aside.async { task.cancel() } }

    /// Refuses new calls; see ``SessionTransport/close(cancelling:)``.
    @discardableResult
    func close(cancelling: Bool) -> Future<Void> {
        let (ids, uploads) = state.withLock { state in
            state.isClosed = true
            guard cancelling else { return ([Int](), [Future<UploadBody>]()) }
            state.isCancelling = true
            return (Array(state.entries.keys), Array(state.uploads.values))
        }
        for id in ids { cancel(id) }
        for upload in uploads { upload.cancel() }
        invalidateIfDone()
        return closed.map { $0 }
    }

    /// Lets go of the session, once it is closed and nothing needs it any more.
    func invalidateIfDone() {
        let session = state.withLock { state -> URLSession? in
            guard state.isClosed, state.starting == 0, state.entries.isEmpty, !state.isInvalidated
            else { return nil }
            state.isInvalidated = true
            return state.session
        }
        #if !canImport(FoundationNetworking)
        if isGuest, session != nil {
            state.withLock { $0.session = nil }
            return closed.resolve()
        }
        #endif
        session?.finishTasksAndInvalidate()
    }
}

extension SessionTaskDelegate.Entry {
    /// Tells the waiters, for the response or for more of its body, that no more will come.
    func fail(with error: any Error) {
        failBody(with: error)
        recipient.fail(with: error)
    }
}
