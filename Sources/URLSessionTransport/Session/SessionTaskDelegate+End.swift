import Dispatch
import PledgeFutures
import PledgeHTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate {
    /// Ends a call before its response is complete: its caller has left, or its time is over.
    func end(_ call: Call, with reason: any Error) {
        let (task, upload) = call.state.withLock { state in
            if state.task == nil { state.isOver = true }
            return (state.task, state.upload.take())
        }
        if let task { return fail(task, with: reason) { $0() } }
        // Before its body is given up, which would look like the reason.
        call.exchange.fail(with: reason)
        upload?.cancel()
    }

    /// Fails an exchange, and cancels its task.
    ///
    /// - Parameter deliver: Delivers the failure; nil: where results are delivered.
    func fail(
        _ id: Int, with error: any Error, delivering deliver: TransportExchange.Delivery? = nil
    ) {
        guard let entry = remove(id) else { return }
        stop(entry.task)
        entry.call.exchange.fail(with: error, delivering: deliver ?? self.deliver)
    }

    /// Removes an exchange from the table.
    ///
    /// The caller that gets the entry notifies the recipient, and no other caller does.
    func remove(_ id: Int) -> Entry? {
        let entry = state.withLock { $0.entries.removeValue(forKey: id) }
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
        let calls = state.withLock { state -> [Call] in
            state.isClosed = true
            guard cancelling else { return [] }
            state.isCancelling = true
            return state.entries.values.map(\.call) + state.uploads.values
        }
        for call in calls { end(call, with: CancellationError()) }
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
