import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTaskDelegate: URLSessionDataDelegate {
    /// Takes the headers.
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

    /// Takes a piece of the body.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        tell(dataTask.taskIdentifier) { machine, now in machine.receive(data, at: now) }
    }

    /// Notes that the request's body is on its way.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        tell(task.taskIdentifier) { machine, now in machine.didSend(at: now) }
    }

    /// Takes the end of a task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let id = task.taskIdentifier
        if let error { return deliver { self.fail(id, with: error) } }
        let isHeadless = state.withLock { $0.entries[id].map { $0.machine.response == nil } }
        // On Linux a redirect that leads nowhere ends without a word on its headers.
        if isHeadless == true { receive(task.response, of: id) }
        tell(id) { machine, now in machine.finish(at: now) }
    }

    private func fail(_ id: Int, with error: any Error) {
        if (error as? URLError)?.code == .cancelled { return cancel(id) }
        fail(
            id, with: .init(error), cause: error,
            reason: HTTPError.reason(of: error, idleLimit: configuration.idleTimeout))
    }

    /// Follows no redirect: the answer that redirects is what the caller gets.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        state.withLock { state in
            // On Linux an answer to a task that was cancelled ends the process. Entries are removed
            // before tasks are cancelled, so under the lock the task is not.
            if state.entries[task.taskIdentifier] != nil { completionHandler(nil) }
        }
    }

    /// The session is gone.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        state.withLock { $0.session = nil }
        deliver { self.closed.resolve() }
    }
}
