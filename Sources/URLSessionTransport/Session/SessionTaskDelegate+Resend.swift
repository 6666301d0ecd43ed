#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import PledgeFutures
import PledgeHTTPNetworking

extension SessionTaskDelegate {
    /// Is called when URLSession asks for a new stream of the request's body.
    ///
    /// URLSession on Linux asks for a stream in two cases: when a task without a body begins, and when
    /// libcurl rewinds a body, because the server closed a reused connection before any part of an answer
    /// arrived. In the second case URLSession would send the headers again without a body, and wait forever.
    /// So the task is given up, and a request that may be sent twice is sent again. If there was no body,
    /// libcurl has sent the request again by itself, whatever the method.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // URLSession waits for this call, on the queue on which it does everything else.
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
        // From here on, whoever ends the call ends it before it has a task.
        let body = call.state.withLock { state in
            state.resends += 1
            state.task = nil
            return state.body
        }
        guard let entry = remove(id) else { return leave() }
        stop(entry.task)
        start(call, body)
    }

    /// How many connections in a row may turn out to be closed.
    private static let maxResends = 5
}

extension SessionTaskDelegate.Call {
    /// Whether the request may be repeated; its body can be, since the transport holds all of it.
    fileprivate var mayBeRepeated: Bool {
        var head = exchange.request
        head.body = .none
        return head.isReplayable
    }
}
#endif
