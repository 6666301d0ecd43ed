import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate: URLSessionDataDelegate {
    /// Receives the headers.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        receive(response, of: dataTask.taskIdentifier)
    }

    private func receive(_ response: URLResponse?, of id: Int) {
        guard let response = response as? HTTPURLResponse else { return }
        var head = HTTPResponse(response, body: Data())
        #if canImport(FoundationNetworking)
        head.url = response.url?.withPlainLiteral
        #else
        head.url = response.url
        #endif
        tell(id) { machine, now in machine.receive(head, at: now) }
    }

    /// Receives a piece of the body.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        tell(dataTask.taskIdentifier) { machine, now in machine.receive(data, at: now) }
    }

    /// Notes that a piece of the request's body was sent.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        tell(task.taskIdentifier) { machine, now in machine.didSend(at: now) }
    }

    /// Receives the end of a task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let id = task.taskIdentifier
        if let error { return deliver { self.fail(id, with: error) } }
        let isHeadless = state.withLock { $0.entries[id].map { $0.machine.response == nil } }
        // On Linux, a redirect without a valid target ends before the delegate is called with its headers.
        if isHeadless == true { receive(task.response, of: id) }
        tell(id) { machine, now in machine.finish(at: now) }
    }

    private func fail(_ id: Int, with error: any Error) {
        if (error as? URLError)?.code == .cancelled { return cancel(id) }
        fail(
            id, with: .init(error), cause: error,
            reason: HTTPError.reason(of: error, idleLimit: configuration.idleTimeout))
    }

    /// Follows no redirect: the caller gets the response that redirects.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        state.withLock { state in
            // On Linux, to answer for a cancelled task ends the process. Entries are removed before their
            // tasks are cancelled, so a task whose entry is found under the lock is not cancelled.
            if state.entries[task.taskIdentifier] != nil { completionHandler(nil) }
        }
    }

    /// The session has been invalidated.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        state.withLock { $0.session = nil }
        deliver { self.closed.resolve() }
    }
}

extension SessionTaskDelegate {
    /// Passes an event to an exchange's machine, and performs the command that it returns where results are
    /// delivered.
    func tell(
        _ id: Int, _ event: (inout ExchangeMachine, SchedulerInstant) -> ExchangeMachine.Command
    ) {
        let now = scheduler.now
        let command = state.withLock { state -> ExchangeMachine.Command in
            guard let index = state.entries.index(forKey: id) else { return .nothing }
            // In place: if a copy of the entry existed, each piece would copy the body.
            return event(&state.entries.values[index].machine, now)
        }
        switch command {
        case .nothing: break
        // On Linux the piece is stored here: pieces that wait for another queue would fill the memory.
        case .pass(let data): pass(data, of: id)
        default: deliver { self.perform(command, id) }
        }
    }

    /// Runs a closure where results are delivered, one closure after the other.
    ///
    /// On Linux the delegate is called on URLSession's own queue, which URLSession also waits for when the
    /// next request is made; elsewhere the delegate is called on the right queue already.
    func deliver(_ block: @escaping @Sendable () -> Void) {
        #if canImport(FoundationNetworking)
        callers(block)
        #else
        block()
        #endif
    }

    #if canImport(FoundationNetworking)
    /// Runs a function where results are delivered; this closure keeps only that queue.
    var callers: @Sendable (@escaping @Sendable () -> Void) -> Void {
        if let appQueue { return { appQueue.addOperation($0) } }
        return { [queue] in queue.async(execute: $0) }
    }
    #endif

    private func perform(_ command: ExchangeMachine.Command, _ id: Int) {
        switch command {
        case .nothing, .pass: break
        case .deliverHead(let head): deliver(head, of: id)
        case .fail(let code, let reason): fail(id, with: code, reason: reason)
        case .finish(let response):
            guard let entry = remove(id) else { return }
            entry.finish()
            entry.recipient.succeed(with: response)
        }
    }

    private func deliver(_ head: HTTPResponse, of id: Int) {
        let entry = state.withLock { state in state.entries[id].map { ($0.call, $0.recipient) } }
        guard let (call, recipient) = entry else { return }
        let length = head.announcedLength(for: call.request.method)
        guard let body = open(id, length: length) else { return }
        recipient.succeed(with: head, body)
    }
}
