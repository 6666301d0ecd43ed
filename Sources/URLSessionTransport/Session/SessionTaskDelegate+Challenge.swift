import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

extension SessionTaskDelegate {
    /// Answers a question for a password as the app's session would; without one, with no password.
    ///
    /// It is asked when the answer is whole. The task waits forever where it is left alone, and ends as
    /// cancelled where it is told to; so without a password the caller gets the answer first.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let id = task.taskIdentifier
        // Who reads a stream has been given the answer already.
        let entry = state.withLock { $0.entries[id].flatMap { $0.machine.isStreamed ? nil : $0 } }
        guard let app = entry?.appSession,
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        else { return giveUp(task) }
        let decide: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            let proposed =
                challenge.previousFailureCount == 0
                ? challenge.proposedCredential
                    ?? app.configuration.urlCredentialStorage?.stored(
                        for: challenge.protectionSpace)
                : nil
            let credential =
                $0 == .performDefaultHandling ? proposed : $0 == .useCredential ? $1 : nil
            guard let credential else { return self.giveUp(task) }
            // An answer to a task that was cancelled ends the process. An exchange leaves the table before
            // its task is cancelled, on this queue.
            self.aside.async {
                self.tell(id) { machine, now in machine.startAgain(at: now) }
                guard self.state.withLock({ $0.entries[id] != nil }) else { return }
                completionHandler(.useCredential, credential)
            }
        }
        guard let delegate = app.delegate as? any URLSessionTaskDelegate else {
            return decide(.performDefaultHandling, nil)
        }
        tell(id) { machine, _ in machine.hold() }
        app.delegateQueue.addOperation {
            delegate.urlSession(
                app, task: task, didReceive: challenge,
                completionHandler: { disposition, credential in
                    self.tell(id) { machine, now in machine.goOn(at: now) }
                    decide(disposition, credential)
                })
        }
    }

    private func giveUp(_ task: URLSessionTask) {
        tell(task.taskIdentifier) { machine, now in machine.finish(at: now) }
        stop(task)
    }
}

extension URLCredentialStorage {
    /// The credential for a space that is equal to one, which the storage does not find by itself there: it
    /// takes each space for another one.
    fileprivate func stored(for space: URLProtectionSpace) -> URLCredential? {
        allCredentials.first { other, _ in
            other.host == space.host && other.port == space.port && other.realm == space.realm
                && other.protocol == space.protocol
                && other.authenticationMethod == space.authenticationMethod
        }?.value.min { $0.key < $1.key }?.value
    }
}
#else
import Foundation

extension SessionTaskDelegate {
    /// Answers no question for a password: the answer that asked is what the caller gets.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate:
            completionHandler(.performDefaultHandling, nil)
        default:
            completionHandler(.rejectProtectionSpace, nil)
        }
    }
}
#endif
