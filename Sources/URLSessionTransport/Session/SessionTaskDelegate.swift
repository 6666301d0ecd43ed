import Dispatch
import Futures
import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The delegate of one session: all tasks that are under way on it, and who waits for each.
///
/// An exchange is in the table from before its task begins until its outcome is known; what URLSession
/// tells of a task that is in the table no more means nothing. The lock is never held while URLSession
/// or a future is called, but for the answer to a question, which URLSession only queues. As a delegate
/// it is called on URLSession's own queue on Linux, so it calls no future there; see ``deliver(_:)``.
final class SessionTaskDelegate: NSObject, Sendable {
    struct Entry {
        let call: Call
        var recipient: ExchangeRecipient
        let task: URLSessionTask
        /// The app's session, if it is on its behalf: it lives as long as the exchange.
        let appSession: URLSession?
        var machine: ExchangeMachine
        var idleTimer: (any ScheduledAction)?
        var deadlineTimer: (any ScheduledAction)?
        #if canImport(FoundationNetworking)
        /// Where the body is handed out piece by piece.
        var unread: UnreadBody?
        #else
        /// Where the body is handed out piece by piece, once it has begun.
        var pipe: HTTPBodyPipe?
        #endif
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
        /// The app's session that ``session`` stands in for, or is.
        weak var appSession: URLSession?
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

    #if canImport(FoundationNetworking)
    /// Where callers are told: on the delegate queue of the app's session, or else on one of ours.
    let appQueue: OperationQueue?
    let queue = DispatchQueue(label: "Pledge.SessionTransport")
    #else
    /// Whether the session is the app's, so that its delegate is asked for passwords, and it stays valid.
    let isGuest: Bool
    #endif

    /// Where URLSession is called that must not be called on its own queue, or makes the caller wait.
    let aside = DispatchQueue(label: "Pledge.SessionTransport.aside")

    /// Makes the delegate of a session of its own, or of one on behalf of the app's.
    init(
        _ configuration: SessionTransport.Configuration, _ scheduler: some Scheduler,
        for appSession: URLSession? = nil
    ) {
        self.configuration = configuration
        self.scheduler = scheduler
        #if canImport(FoundationNetworking)
        appQueue = appSession?.delegateQueue
        #else
        isGuest = appSession != nil
        #endif
    }

    /// Makes the session.
    func open(_ configuration: URLSessionConfiguration) {
        #if canImport(FoundationNetworking)
        let queue: OperationQueue = DelegateQueue()
        #else
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        #endif
        let session = URLSession(
            configuration: configuration, delegate: self, delegateQueue: queue)
        state.withLock { $0.session = session }
    }

    /// Takes a session of the app's.
    ///
    /// On Linux the delegate of a task is not told of its data, and cancelling a task of a session with a
    /// cache can end the process. So there a second session without a cache sends, whose delegate this is.
    func open(for appSession: URLSession) {
        state.withLock { $0.appSession = appSession }
        #if canImport(FoundationNetworking)
        let twin = appSession.configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        twin.urlCache = nil
        twin.leaveTimeToTransport()
        open(twin)
        #else
        state.withLock { $0.session = appSession }
        #endif
    }

    #if !canImport(FoundationNetworking)
    /// Leaves questions for passwords to the delegate of the app's session, which is asked what the
    /// delegate of a task does not answer.
    override func responds(to selector: Selector!) -> Bool {
        let asksForPassword = #selector(
            URLSessionTaskDelegate.urlSession(_:task:didReceive:completionHandler:))
        return !(isGuest && selector == asksForPassword) && super.responds(to: selector)
    }
    #endif
}
