import Dispatch
import PledgeFutures
import PledgeHTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The delegate of one session, with the exchanges that are under way on it by their tasks.
///
/// An exchange is in the table from before its task begins until its outcome is known; events of a task that
/// is not in the table are ignored. The lock is never held while URLSession or a future is called, with one
/// exception: the answer to a question, which URLSession only queues. On Linux, URLSession calls the delegate
/// on its own queue, so the delegate calls no future there; see ``deliver(_:)``.
final class SessionTaskDelegate: NSObject, Sendable {
    struct Entry {
        let call: Call
        let task: URLSessionTask
        /// The app's session, if this exchange is sent for it: it lives as long as the exchange.
        let appSession: URLSession?
    }

    /// What is sent; the same object if it is sent a second time.
    final class Call: Sendable {
        let exchange: TransportExchange
        let state = Locked(State())

        struct State {
            /// The body, once it has been read.
            var body = UploadBody.none
            /// The reading of the body, while it is under way.
            var upload: Future<UploadBody>?
            /// The task; nil before the body has been read.
            var task: Int?
            /// How often the request was sent again.
            var resends = 0
            /// Whether it has ended before it had a task.
            var isOver = false
        }

        init(_ exchange: TransportExchange) { self.exchange = exchange }

        var body: UploadBody { state.withLock { $0.body } }
    }

    struct State {
        var session: URLSession?
        /// The app's session that ``session`` stands in for, or is.
        weak var appSession: URLSession?
        var entries: [Int: Entry] = [:]
        /// The calls whose bodies are being read.
        var uploads: [ObjectIdentifier: Call] = [:]
        /// The number of calls that are about to enter the table: meanwhile the session must not be
        /// invalidated.
        var starting = 0
        var isClosed = false
        var isCancelling = false
        var isInvalidated = false
    }

    let state = Locked(State())
    let configuration: SessionTransport.Configuration
    let limits: TransportExchange.Limits
    let scheduler: any Scheduler
    let connecting: SessionConnecting
    let closed = InternalPromise<Void>()

    #if canImport(FoundationNetworking)
    /// Runs a closure where results are delivered, one closure after the other: on the delegate queue of the
    /// app's session, or otherwise on a queue of the transport's own.
    ///
    /// URLSession calls its delegate on its own queue, which it also waits for when the next request is made.
    let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void
    #else
    /// Whether the session is the app's: then its delegate is asked for passwords, and it stays valid.
    let isGuest: Bool
    /// Runs a closure where results are delivered: at once, since the delegate is called there.
    let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    #endif

    /// The queue for calls to URLSession that must not run on URLSession's own queue, or that block the
    /// caller.
    let aside = DispatchQueue(label: "Pledge.SessionTransport.aside")

    /// Makes the delegate of a session of its own, or of one that sends for the app's session.
    init(
        _ configuration: SessionTransport.Configuration, _ scheduler: some Scheduler,
        for appSession: URLSession? = nil, connecting: SessionConnecting = SessionConnecting()
    ) {
        self.configuration = configuration
        self.connecting = connecting
        self.scheduler = scheduler
        let idle = configuration.idleTimeout.map { IdleWatches($0, on: scheduler) }
        #if canImport(FoundationNetworking)
        let queue = DispatchQueue(label: "Pledge.SessionTransport")
        let appQueue = appSession?.delegateQueue
        let deliver: @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
            if let appQueue { appQueue.addOperation(work) } else { queue.async(execute: work) }
        }
        self.deliver = deliver
        limits = TransportExchange.Limits(
            maxBodySize: configuration.maxBodySize,
            maxUnreadBytes: min(65_536, configuration.maxUnreadBytes), idle: idle,
            makeBody: { pipe in
                UnreadBody(
                    for: pipe, limit: configuration.maxUnreadBytes,
                    folder: configuration.spoolFolder, deliver: deliver)
            })
        #else
        isGuest = appSession != nil
        limits = TransportExchange.Limits(
            maxBodySize: configuration.maxBodySize, maxUnreadBytes: configuration.maxUnreadBytes,
            idle: idle)
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

    /// Uses a session of the app.
    ///
    /// On Linux the delegate of a task is not called with the task's data, and to cancel a task of a session
    /// with a cache can end the process. So on Linux a second session without a cache sends the requests,
    /// with this object as its delegate.
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

    #if canImport(ObjectiveC)
    /// Leaves requests for passwords to the delegate of the app's session: URLSession asks it when the
    /// delegate of a task does not implement the method.
    override func responds(to selector: Selector!) -> Bool {
        let asksForPassword = #selector(
            (any URLSessionTaskDelegate).urlSession(_:task:didReceive:completionHandler:))
        return !(isGuest && selector == asksForPassword) && super.responds(to: selector)
    }
    #endif
}
