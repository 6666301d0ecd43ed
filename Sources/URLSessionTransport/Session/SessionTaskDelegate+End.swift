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
    /// Ends an exchange that its caller has cancelled.
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

    /// Removes an exchange from the table.
    ///
    /// The caller that gets the entry notifies the recipient, and no other caller does.
    func remove(_ id: Int) -> Entry? {
        let entry = state.withLock { $0.entries.removeValue(forKey: id) }
        entry?.idleTimer?.cancel()
        entry?.deadlineTimer?.cancel()
        if entry != nil { invalidateIfDone() }
        return entry
    }

    /// Cancels a task.
    ///
    /// On Linux that waits for a queue of the session, so it is done on another thread than the caller's.
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

    /// Invalidates the session if the transport is closed and nothing uses the session any more.
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
            closed.resolve()
            return
        }
        #endif
        session?.finishTasksAndInvalidate()
    }
}

extension SessionTaskDelegate.Entry {
    /// Fails the future of the response, or the rest of its body.
    func fail(with error: any Error) {
        failBody(with: error)
        recipient.fail(with: error)
    }
}
