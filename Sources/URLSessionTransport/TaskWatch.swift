#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Futures

/// A delegate for one task, which decides what URLSession on Linux decides badly.
///
/// Left alone there, a task that is asked for a password nobody has stored neither ends nor asks
/// its session's delegate: it stays as it is for ever. And a redirect is followed with all headers
/// to whatever host, but without the body.
final class TaskWatch: NSObject, URLSessionTaskDelegate {
    private struct State {
        var refused: URLResponse?
        var withheld: URLRequest?
        /// Whether the task is being cancelled.
        ///
        /// A question answered after that traps, so it is left unanswered, and each answer is given
        /// under the lock.
        var isGone = false
    }

    private let state = Locked(State())

    /// The answer that asked for a password which nobody had.
    var refused: URLResponse? { state.withLock { $0.refused } }

    /// Where the task was sent with its body: it ended there, and the request is to be sent anew.
    var withheld: URLRequest? { state.withLock { $0.withheld } }

    /// Takes the questions of a task that has not begun.
    func watch(_ task: URLSessionTask) { task.delegate = self }

    /// Cancels the task; no question of it is answered from then on.
    func cancel(_ task: URLSessionTask) {
        state.withLock { $0.isGone = true }
        task.cancel()
    }

    /// Answers with the stored password if there is one that was not tried; otherwise ends the
    /// task, and keeps what the server said.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {
        let method = challenge.protectionSpace.authenticationMethod
        state.withLock { state in
            if state.isGone { return }
            if let credential = challenge.proposedCredential,
                challenge.previousFailureCount == 0,
                method == NSURLAuthenticationMethodHTTPBasic
            {
                return completionHandler(.useCredential, credential)
            }
            state.refused = challenge.failureResponse ?? task.response
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }

    /// Follows a redirect without the secrets where it leads elsewhere, and withholds one that has
    /// to take the body along.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        var request = request
        if !Origin.isSame(response.url, request.url) {
            for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
                request.setValue(nil, forHTTPHeaderField: name)
            }
        }
        let next = request
        let takesBody = [307, 308].contains(response.statusCode) && next.httpBody != nil
        state.withLock { state in
            if state.isGone { return }
            if takesBody { state.withheld = next }
            completionHandler(takesBody ? nil : next)
        }
    }
}

/// Scheme, host and port: whom a secret was meant for.
private enum Origin {
    static func isSame(_ left: URL?, _ right: URL?) -> Bool {
        guard let left, let right else { return false }
        return left.scheme?.lowercased() == right.scheme?.lowercased()
            && left.host?.lowercased() == right.host?.lowercased() && port(left) == port(right)
    }

    private static func port(_ url: URL) -> Int {
        url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    }
}
#else
import Foundation

/// Nothing is to be decided where URLSession decides well.
struct TaskWatch {
    let refused: URLResponse? = nil
    let withheld: URLRequest? = nil

    func watch(_ task: URLSessionTask) {}

    func cancel(_ task: URLSessionTask) { task.cancel() }
}
#endif
