#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import Futures

/// The delegate of a twin session, which gathers what arrives for each task.
///
/// A task with a completion handler loses the body of a 401 that asks for a password; what a
/// session's delegate was told of it before that is kept.
final class TaskCollector: NSObject, URLSessionDataDelegate {
    typealias Completion = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

    private struct Entry {
        let watch: TaskWatch
        let completion: Completion
        var body = Data()
    }

    private let entries = Locked([Int: Entry]())

    /// Takes charge of a task that has not begun.
    func add(_ task: URLSessionTask, _ watch: TaskWatch, _ completion: @escaping Completion) {
        let entry = Entry(watch: watch, completion: completion)
        entries.withLock { $0[task.taskIdentifier] = entry }
    }

    private func watch(of task: URLSessionTask) -> TaskWatch? {
        entries.withLock { $0[task.taskIdentifier]?.watch }
    }

    /// Gathers a piece of a body.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        entries.withLock { $0[dataTask.taskIdentifier]?.body.append(data) }
    }

    /// Ends a task with what has been gathered.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let entry = entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        entry?.completion(entry?.body, task.response, error)
    }

    /// Leaves the question of a password to the task's own watch.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        watch(of: task)?.urlSession(
            session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }

    /// Leaves the question of a redirect to the task's own watch.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // What came with the redirect is no part of the answer to come.
        entries.withLock { $0[task.taskIdentifier]?.body = Data() }
        watch(of: task)?.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }
}
#endif
