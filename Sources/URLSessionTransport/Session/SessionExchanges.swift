import Dispatch
import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// All that is under way on one session, whose delegate it is.
///
/// An exchange is in the table from before its task begins until its outcome is known; what URLSession
/// tells of a task that is in the table no more means nothing. The lock is never held while URLSession
/// or a future is called, but for the answer to a question, which URLSession only queues. As a delegate
/// it is called on URLSession's own queue, so it calls no future there; see ``DelegateQueue``.
final class SessionExchanges: NSObject, Sendable {
    struct Entry {
        let call: Call
        var recipient: ExchangeRecipient
        let task: URLSessionTask
        var machine: ExchangeMachine
        var idleTimer: (any ScheduledAction)?
        var deadlineTimer: (any ScheduledAction)?
        /// Where the body is handed out piece by piece, once it has begun.
        var pipe: HTTPBodyPipe?
    }

    /// What is asked; the same where it is asked a second time.
    final class Call: Sendable {
        let request: HTTPRequest
        let body: UploadBody
        let start: SchedulerInstant
        /// How often it was asked again.
        let resends: Int

        init(
            _ request: HTTPRequest, _ body: UploadBody, since start: SchedulerInstant,
            resends: Int = 0
        ) {
            self.request = request
            self.body = body
            self.start = start
            self.resends = resends
        }
    }

    struct State {
        var session: URLSession?
        var entries: [Int: Entry] = [:]
        /// Calls whose body is read.
        var uploads: [ObjectIdentifier: Future<UploadBody>] = [:]
        /// Calls that are on their way into the table: the session must not be invalidated meanwhile.
        var starting = 0
        var isClosed = false
        var isCancelling = false
        var isInvalidated = false
    }

    let state = Locked(State())
    let configuration: SessionTransport.Configuration
    let scheduler: any Scheduler
    let closed = InternalPromise<Void>()

    let queue = DelegateQueue()

    /// Where URLSession is called that must not be called on its own queue, or makes the caller wait.
    let aside = DispatchQueue(label: "Pledge.SessionTransport.aside")

    init(_ configuration: SessionTransport.Configuration, _ scheduler: some Scheduler) {
        self.configuration = configuration
        self.scheduler = scheduler
    }

    /// Makes the session.
    func open(_ configuration: URLSessionConfiguration) {
        let session = URLSession(
            configuration: configuration, delegate: self, delegateQueue: queue)
        state.withLock { $0.session = session }
    }
}
