import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

extension SessionTaskDelegate {
    /// Sends a request again if its reused connection was closed before any part of an answer.
    ///
    /// URLSession on Linux calls this when a task without a body begins, and when libcurl rewinds a body because the
    /// server has closed a reused connection. In the second case, URLSession would send the headers again without the
    /// body, and wait for ever. So this cancels the task, and sends the request again if that is allowed. libcurl
    /// itself repeats a request without a body.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // At once, because URLSession waits for it on the queue where it does everything else.
        completionHandler(nil)
        let id = task.taskIdentifier
        let isBodyless = state.withLock { $0.entries[id]?.call.body.isNone ?? true }
        if !isBodyless { aside.async { self.sendAgain(id) } }
    }

    private func sendAgain(_ id: Int) {
        let call = state.withLock { state -> Call? in
            guard let call = state.entries[id]?.call, call.mayBeRepeated,
                call.state.withLock({ $0.resends }) < Self.maxResends
            else { return nil }
            state.starting += 1
            return call
        }
        guard let call else { return fail(id, with: HTTPError(code: .connectionLost)) }
        // Until `start`, the call has no task. If it's ended meanwhile, `endCall` records that, and `start` cancels the
        // new task.
        let body = call.state.withLock { state in
            state.resends += 1
            state.task = nil
            return state.body
        }
        guard let entry = remove(id) else { return leave() }
        stop(entry.task)
        start(call, body)
    }

    private static let maxResends = 5
}

extension SessionTaskDelegate.Call {
    /// True if the request may be repeated; its body always can, because the transport has all of it.
    fileprivate var mayBeRepeated: Bool {
        var head = exchange.request
        head.body = .none
        return head.isReplayable
    }
}
#endif
