import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionExchanges: URLSessionDataDelegate {
    /// Takes the headers.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        receive(response, of: dataTask.taskIdentifier)
    }

    private func receive(_ response: URLResponse, of id: Int) {
        guard let response = response as? HTTPURLResponse else { return }
        var head = HTTPResponse(response, body: Data())
        head.url = response.url
        let now = scheduler.now
        let step = state.withLock { $0.entries[id]?.machine.receive(head, at: now) }
        act(on: step ?? .nothing, id)
    }

    /// Takes a piece of the body.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let id = dataTask.taskIdentifier
        let now = scheduler.now
        let step = state.withLock { $0.entries[id]?.machine.receive(data, at: now) }
        act(on: step ?? .nothing, id)
    }

    /// Notes that the request's body is on its way.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        let now = scheduler.now
        state.withLock { $0.entries[task.taskIdentifier]?.machine.didSend(at: now) }
    }

    /// Takes the end of a task.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let id = task.taskIdentifier
        if let error {
            if (error as? URLError)?.code == .cancelled {
                remove(id)?.recipient.fail(with: CancellationError())
            } else {
                fail(id, with: .init(error), cause: error)
            }
            return
        }
        let isHeadless = state.withLock { $0.entries[id].map { $0.machine.response == nil } }
        // On Linux a redirect that leads nowhere ends without a word on its headers.
        if isHeadless == true, let response = task.response { receive(response, of: id) }
        let now = scheduler.now
        let step = state.withLock { $0.entries[id]?.machine.finish(at: now) }
        act(on: step ?? .nothing, id)
    }

    /// Answers no question for a password: the answer that asked is what the caller gets.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // It is asked when the answer is whole. The task waits for ever where it is left alone, and
        // ends as cancelled where it is told to; so the caller gets the answer first.
        let id = task.taskIdentifier
        let now = scheduler.now
        let step = state.withLock { $0.entries[id]?.machine.finish(at: now) }
        act(on: step ?? .nothing, id)
        stop(task)
        #else
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate:
            completionHandler(.performDefaultHandling, nil)
        default:
            completionHandler(.rejectProtectionSpace, nil)
        }
        #endif
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
        closed.resolve()
    }
}
