import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate: URLSessionDataDelegate {
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

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let id = dataTask.taskIdentifier
        guard let exchange = exchange(id) else { return }
        if exchange.isStreamed {
            // On Linux, `pass` always has room, because even a suspended task would continue to receive.
            let hasRoom = exchange.pass(data) { dataTask.resume() }
            if !hasRoom { dataTask.suspend() }
        } else if let refusal = data.withUnsafeBytes({ exchange.receive($0) }) {
            fail(id, with: refusal)
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        exchange(task.taskIdentifier)?.noteSentBytes()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let id = task.taskIdentifier
        if let error { return fail(id, with: failure(error)) }
        // On Linux, a redirect without a valid target ends the task before the delegate gets the headers.
        if exchange(id)?.hasHead == false { receive(task.response, of: id) }
        finish(id)
    }

    /// The caller's error for an error of URLSession.
    private func failure(_ error: any Error) -> any Error {
        if (error as? URLError)?.code == .cancelled { return CancellationError() }
        return HTTPError(
            code: .init(error), cause: error,
            reason: HTTPError.reason(of: error, idleLimit: configuration.idleTimeout))
    }

    /// Refuses the redirect, so that the caller gets the redirecting response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        state.withLock { state in
            // On Linux, calling this handler for a cancelled task ends the process. An entry is removed before its task
            // is cancelled, so as long as the entry is there, the task isn't.
            if state.entries[task.taskIdentifier] != nil { completionHandler(nil) }
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        state.withLock { $0.session = nil }
        deliver { self.closed.resolve() }
    }
}

extension SessionTaskDelegate {
    /// Nil if the exchange has ended.
    func exchange(_ id: Int) -> TransportExchange? {
        state.withLock { $0.entries[id]?.call.exchange }
    }

    func finish(_ id: Int) { remove(id)?.call.exchange.finish(delivering: deliver) }
}

#if !canImport(FoundationNetworking)
extension SessionTaskDelegate {
    /// The task waits for a network.
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        exchange(task.taskIdentifier)?.expectNothing()
        passOn(session, waitOf: task)
    }

    /// Records the connection's metrics, which URLSession reports before the task's end.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        let times = metrics.transactionMetrics.map(TransactionTimes.init)
        let report = ConnectionMetrics(times, since: metrics.taskInterval.start)
        if let report { exchange(task.taskIdentifier)?.noteConnection(report) }
        passOn(session, metrics, of: task)
    }

    #if canImport(ObjectiveC)
    /// The delegate of the app's session, to which these events are passed on: URLSession reports them only to the
    /// task's delegate.
    private func appDelegate(of session: URLSession) -> (any URLSessionTaskDelegate)? {
        isGuest ? session.delegate as? any URLSessionTaskDelegate : nil
    }

    private func passOn(_ session: URLSession, waitOf task: URLSessionTask) {
        appDelegate(of: session)?.urlSession?(session, taskIsWaitingForConnectivity: task)
    }

    private func passOn(
        _ session: URLSession, _ metrics: URLSessionTaskMetrics, of task: URLSessionTask
    ) {
        appDelegate(of: session)?.urlSession?(session, task: task, didFinishCollecting: metrics)
    }
    #endif

    // For the stand-ins of Apple's frameworks, whose protocols have no optional requirements.
    #if !canImport(ObjectiveC)
    private func passOn(_ session: URLSession, waitOf task: URLSessionTask) {}

    private func passOn(
        _ session: URLSession, _ metrics: URLSessionTaskMetrics, of task: URLSessionTask
    ) {}
    #endif
}
#endif
