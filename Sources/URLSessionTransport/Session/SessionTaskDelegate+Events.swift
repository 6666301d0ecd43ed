import PledgeFutures
import PledgeHTTPNetworking

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
        guard mayHear(dataTask) else { return completionHandler(.cancel) }
        completionHandler(.allow)
        receive(response, of: dataTask.taskIdentifier)
    }

    private func receive(_ response: URLResponse?, of id: Int) {
        guard let exchange = exchange(id), let response = response as? HTTPURLResponse else {
            return
        }
        var head = HTTPResponse(response, body: Data())
        #if canImport(FoundationNetworking)
        head.url = response.url?.withPlainLiteral
        #else
        head.url = response.url
        #endif
        let refusal = exchange.receive(head, delivering: deliver) { $0.dropFraming() }
        if let refusal { fail(id, with: refusal) }
    }

    /// Receives a piece of the body.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let id = dataTask.taskIdentifier
        guard let exchange = exchange(id), exchange.hasHead else { return }
        if exchange.isStreamed {
            // On Linux there is always space: a suspended task would go on receiving.
            let hasRoom = exchange.pass(data) { dataTask.resume() }
            if !hasRoom { dataTask.suspend() }
        } else if let refusal = data.withUnsafeBytes({ exchange.receive($0) }) {
            fail(id, with: refusal)
        }
    }

    /// Notes that a piece of the request's body was sent.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        exchange(task.taskIdentifier)?.noteSign()
    }

    /// Receives the end of a task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let id = task.taskIdentifier
        if let error { return fail(id, with: failure(error)) }
        // On Linux, a redirect without a valid target ends before the delegate is called with its headers.
        if exchange(id)?.hasHead == false { receive(task.response, of: id) }
        finish(id)
    }

    /// The error that the caller gets for URLSession's.
    private func failure(_ error: any Error) -> any Error {
        if (error as? URLError)?.code == .cancelled { return CancellationError() }
        return HTTPError(
            code: .init(error), cause: error,
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
    /// The exchange of a task; nil if it has ended.
    func exchange(_ id: Int) -> TransportExchange? {
        state.withLock { $0.entries[id]?.call.exchange }
    }

    /// Ends an exchange whose response is complete.
    func finish(_ id: Int) { remove(id)?.call.exchange.finish(delivering: deliver) }
}
