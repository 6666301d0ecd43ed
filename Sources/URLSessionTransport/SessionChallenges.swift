import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking

extension SessionTaskDelegate {
    /// Answers a request for a password as the app's session would.
    ///
    /// Without an app's session, there is no password, and the caller gets the response that asks for one.
    ///
    /// The challenge comes when the response is complete. A task waits for ever if it isn't answered, and ends as
    /// cancelled if it's cancelled. So without a password, the response is delivered first, and then the task is
    /// cancelled.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let id = task.taskIdentifier
        // A streamed response's reader already has the response, so no password is sent.
        let found = state.withLock { $0.entries[id] }
        let entry = found.flatMap { $0.call.exchange.isStreamed ? nil : $0 }
        guard let entry, let app = entry.appSession,
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
            // Answering the challenge of a cancelled task ends the process. Tasks are cancelled only on this queue,
            // after their exchange has left the table. So if the exchange is still there, the task isn't cancelled.
            self.aside.async {
                entry.call.exchange.startAgain()
                guard self.state.withLock({ $0.entries[id] != nil }) else { return }
                completionHandler(.useCredential, credential)
            }
        }
        guard let delegate = app.delegate as? any URLSessionTaskDelegate else {
            return decide(.performDefaultHandling, nil)
        }
        entry.call.exchange.expectNothing()
        app.delegateQueue.addOperation {
            delegate.urlSession(
                app, task: task, didReceive: challenge,
                completionHandler: { disposition, credential in
                    entry.call.exchange.noteSign()
                    decide(disposition, credential)
                })
        }
    }

    private func giveUp(_ task: URLSessionTask) {
        finish(task.taskIdentifier)
        stop(task)
    }
}

extension URLCredentialStorage {
    /// The credential for an equal protection space.
    ///
    /// On Linux, the storage itself finds none, because no two spaces are equal to it.
    fileprivate func stored(for space: URLProtectionSpace) -> URLCredential? {
        allCredentials.first { other, _ in
            other.host == space.host && other.port == space.port && other.realm == space.realm
                && other.protocol == space.protocol
                && other.authenticationMethod == space.authenticationMethod
        }?.value.min { $0.key < $1.key }?.value
    }
}
#else
import Dispatch
import Foundation

extension SessionTaskDelegate {
    /// Answers questions about TLS.
    ///
    /// It gives no password, so the caller gets the response that asks for one.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let id = task.taskIdentifier
        let request = state.withLock { $0.entries[id]?.call.exchange.request }
        let asked = Challenge(challenge, askedHost: request?.origin?.host)
        guard connecting.rules.needsEvidence(for: asked),
            let trust = challenge.protectionSpace.serverTrust.map(ServerTrust.init)
        else { return answer(asked, about: nil, of: id, completionHandler) }
        // On another queue, because the evaluation may wait for the network.
        evaluations.async { [self, session] in
            var asked = asked
            let host = asked.askedHost ?? asked.host
            asked.evidence = trust.evidence(by: connecting.rules, for: host)
            session.delegateQueue.addOperation { [asked] in
                self.answer(asked, about: trust, of: id, completionHandler)
            }
        }
    }

    private func answer(
        _ challenge: Challenge, about server: ServerTrust?, of id: Int,
        _ complete: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let answer = connecting.answer(to: challenge)
        let credential: URLCredential? =
            switch answer {
            case .trust: server?.credential
            case .showCertificate: connecting.identity?.credential
            case .byDefault, .withoutPassword, .refuse: nil
            }
        if let credential { return complete(.useCredential, credential) }
        switch answer {
        case .byDefault: complete(.performDefaultHandling, nil)
        case .withoutPassword: complete(.rejectProtectionSpace, nil)
        case .trust, .showCertificate, .refuse:
            // The call fails here, with the reason, before URLSession ends the task as cancelled.
            fail(id, with: HTTPError(code: .insecureConnection, reason: answer.reason))
            complete(.cancelAuthenticationChallenge, nil)
        }
    }
}

private let evaluations = DispatchQueue(
    label: "Pledge.SessionTransport.evaluations", attributes: .concurrent)
#endif

extension SessionTaskDelegate {
    /// Returns whether a response may be accepted, and fails the call if not.
    func mayHear(_ task: URLSessionTask) -> Bool {
        guard connecting.rules.checksServers else { return true }
        let request = state.withLock { $0.entries[task.taskIdentifier]?.call.exchange.request }
        guard let request, !connecting.mayHear(request) else { return true }
        let reason = "the system has not shown the server's certificate"
        fail(task.taskIdentifier, with: HTTPError(code: .insecureConnection, reason: reason))
        return false
    }
}
