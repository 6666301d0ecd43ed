import Dispatch
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The delegate of one session, with its running exchanges by task.
///
/// A transport has several if a host's connections have gone silent (``HostPools``).
///
/// An exchange is in the table from before its task begins until its outcome is known. Events of other tasks are
/// ignored. The lock isn't held while URLSession or a future is called, except to answer a redirect, which URLSession
/// only queues. On Linux, the delegate is called on URLSession's own queue, so it settles futures through ``deliver``.
final class SessionTaskDelegate: NSObject, Sendable {
    struct Entry {
        let call: Call
        let task: URLSessionTask
        /// The app's session that the request is for, kept alive until the exchange ends.
        let appSession: URLSession?
    }

    /// A call; the same object if its request is sent again.
    final class Call: Sendable {
        let exchange: TransportExchange
        let state = Locked(State())

        struct State {
            /// The body, once it has been read.
            var body = UploadBody.none
            /// The body, while it's being read.
            var upload: Future<UploadBody>?
            /// The task's identifier; nil until the body has been read.
            var task: Int?
            var resends = 0
            /// True if the call ended before it had a task.
            var isOver = false
        }

        init(_ exchange: TransportExchange) { self.exchange = exchange }

        var body: UploadBody { state.withLock { $0.body } }
    }

    struct State {
        var session: URLSession?
        /// The app's session; ``session`` is the same one, or one that sends in its place.
        weak var appSession: URLSession?
        var entries: [Int: Entry] = [:]
        /// The calls whose bodies are being read.
        var uploads: [ObjectIdentifier: Call] = [:]
        /// How many calls are about to enter the table; meanwhile, the session must stay valid.
        var starting = 0
        var isClosed = false
        var isCancelling = false
        var isInvalidated = false
    }

    typealias Delivery = @Sendable (@escaping @Sendable () -> Void) -> Void

    let state = Locked(State())
    let configuration: SessionTransport.Configuration
    let limits: TransportExchange.Limits
    let scheduler: any FutureScheduler
    let connecting: SessionConnecting
    let closed = InternalPromise<Void>()

    #if canImport(FoundationNetworking)
    /// Runs closures one by one, on the queue where results are delivered.
    ///
    /// It's the delegate queue of the app's session, or a queue of the transport. URLSession's own queue won't do,
    /// because URLSession waits for it when the next request is created.
    let deliver: Delivery
    #else
    /// Where URLSession calls the delegate, one operation at a time.
    private let queue: OperationQueue
    /// True if the session is the app's; it then stays valid, and its own delegate is asked for passwords.
    let isGuest: Bool
    /// Runs a closure at once, because URLSession calls the delegate on the queue where results are delivered.
    let deliver: Delivery = { $0() }
    #endif

    /// For calls to URLSession that block, or that must not run on its own queue.
    let aside = DispatchQueue(label: "Pledge.SessionTransport.aside")

    /// - Parameter other: The delegate of another session of the transport, with the same configuration and the same
    ///   queue of results.
    init(
        _ configuration: SessionTransport.Configuration, _ scheduler: any FutureScheduler,
        for appSession: URLSession? = nil, connecting: SessionConnecting = SessionConnecting(),
        beside other: SessionTaskDelegate? = nil
    ) {
        self.configuration = configuration
        self.connecting = connecting
        self.scheduler = scheduler
        #if canImport(FoundationNetworking)
        let deliver = other?.deliver ?? Self.delivery(for: appSession?.delegateQueue)
        self.deliver = deliver
        let maxUnreadBytes = min(65_536, configuration.maxUnreadBytes)
        let makeBody: (@Sendable (HTTPBodyPipe) -> any TransportBody)? = { pipe in
            UnreadBody(
                for: pipe, limit: configuration.maxUnreadBytes,
                folder: configuration.spoolFolder, deliver: deliver)
        }
        #else
        isGuest = appSession != nil
        queue = other?.queue ?? OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let maxUnreadBytes = configuration.maxUnreadBytes
        let makeBody: (@Sendable (HTTPBodyPipe) -> any TransportBody)? = nil
        #endif
        limits =
            other?.limits
            ?? TransportExchange.Limits(
                maxBodySize: configuration.maxBodySize, maxUnreadBytes: maxUnreadBytes,
                idle: configuration.idleTimeout.map { IdleWatches($0, on: scheduler) },
                makeBody: makeBody)
    }

    #if canImport(FoundationNetworking)
    private static func delivery(for appQueue: OperationQueue?) -> Delivery {
        let queue = DispatchQueue(label: "Pledge.SessionTransport")
        return { work in
            if let appQueue { appQueue.addOperation(work) } else { queue.async(execute: work) }
        }
    }
    #endif

    /// Creates the transport's own session.
    func open(_ configuration: URLSessionConfiguration) {
        #if canImport(FoundationNetworking)
        let queue = DelegateQueue()
        #endif
        let session = URLSession(
            configuration: configuration, delegate: self, delegateQueue: queue)
        state.withLock { $0.session = session }
    }

    /// Uses a session of the app.
    ///
    /// On Linux, a second session without a cache, with this delegate, sends the requests. The app's session can't: a
    /// single task's delegate doesn't get the data, and cancelling a task of a session with a cache can end the
    /// process.
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
    /// Leaves passwords to the delegate of the app's session.
    ///
    /// URLSession asks it if the task's own delegate doesn't implement the method.
    override func responds(to selector: Selector!) -> Bool {
        let asksForPassword = #selector(
            (any URLSessionTaskDelegate).urlSession(_:task:didReceive:completionHandler:))
        return !(isGuest && selector == asksForPassword) && super.responds(to: selector)
    }
    #endif
}

extension SessionTaskDelegate {
    /// Sends the request of a call that ``beginStart()`` has counted; the recipient gets every outcome.
    func send(_ exchange: TransportExchange) {
        let call = Call(exchange)
        exchange.watch { [weak self] in self?.endCall(call, with: $0) }
        do {
            try prepare(call, exchange.request.body)
        } catch {
            leave()
            exchange.fail(with: error)
        }
    }

    private func prepare(_ call: Call, _ body: HTTPRequest.Body) throws {
        switch body.content {
        case .none: start(call, .none)
        case .data(let data): start(call, .data(data))
        case .file(let url): start(call, try .file(at: url))
        case .stream(let source): try upload(source, of: call)
        }
    }

    /// Creates and starts the task of a call that ``beginStart()`` has counted.
    func start(_ call: Call, _ body: UploadBody) {
        let exchange = call.exchange
        let (made, appSession) = state.withLock { ($0.session, $0.appSession) }
        guard let session = made else {
            leave()
            return exchange.fail(with: HTTPError(code: .transportClosed))
        }
        let task = session.makeTask(
            for: exchange.request, body, assumingHTTP3: connecting.assumesHTTP3)
        #if !canImport(FoundationNetworking)
        if isGuest { task.delegate = self }
        #endif
        let id = task.taskIdentifier
        let entry = Entry(call: call, task: task, appSession: appSession)
        let (isCancelled, isWanted) = state.withLock { state in
            state.starting -= 1
            let isWanted = call.state.withLock { call in
                if state.isCancelling || call.isOver { return false }
                (call.task, call.body) = (id, body)
                return true
            }
            if isWanted { state.entries[id] = entry }
            return (state.isCancelling, isWanted)
        }
        guard isWanted else {
            stop(task)
            invalidateIfDone()
            if isCancelled { exchange.fail(with: CancellationError()) }
            return
        }
        do {
            // URLSession doesn't say when a request gets a connection, so the exchange counts it as being sent now.
            try exchange.willSend()
        } catch {
            return fail(id, with: error) { $0() }
        }
        // The call may have ended meanwhile.
        if state.withLock({ $0.entries[id] != nil }) { task.resume() }
    }

    /// Counts a call that is about to start; a call of `send` or `leave()` must follow.
    ///
    /// - Throws: `HTTPError` if the transport is closed.
    func beginStart() throws {
        let isOpen = state.withLock { state in
            if !state.isClosed { state.starting += 1 }
            return !state.isClosed
        }
        if !isOpen { throw HTTPError(code: .transportClosed) }
    }

    /// Undoes ``beginStart()``.
    func leave() {
        state.withLock { $0.starting -= 1 }
        invalidateIfDone()
    }
}

extension SessionTaskDelegate {
    /// Reads a body, and then creates the task of a call that ``beginStart()`` has counted.
    func upload(_ source: HTTPRequest.BodySource, of call: Call) throws {
        var stream = try opened(source)
        if let length = source.length { stream = stream.checkingLength(length) }
        let body = BodySpool.body(of: stream, upTo: configuration.maxSpooledBodySize)
        let key = ObjectIdentifier(call)
        let isOver = call.state.withLock { call in
            call.upload = body
            return call.isOver
        }
        let isCancelling = state.withLock { state in
            state.uploads[key] = call
            return state.isCancelling
        }
        // While the source is read, which may take any time, the idle timeout doesn't run.
        call.exchange.expectNothing()
        if isCancelling || isOver { endCall(call, with: CancellationError()) }
        body.observe { [weak self] result in
            guard let self else { return }
            state.withLock { $0.uploads[key] = nil }
            call.state.withLock { $0.upload = nil }
            switch result {
            case .success(let body):
                call.exchange.noteSign()
                start(call, body)
            case .failure(let error):
                leave()
                call.exchange.fail(with: HTTPError.failure(ofBody: error))
            }
        }
    }

    private func opened(_ source: HTTPRequest.BodySource) throws -> HTTPBodyStream {
        do { return try source.open() } catch { throw HTTPError.failure(ofBody: error) }
    }
}

extension SessionTaskDelegate {
    /// Ends a call early, because its caller has left or its time has passed.
    func endCall(_ call: Call, with reason: any Error) {
        let (task, upload) = call.state.withLock { state in
            if state.task == nil { state.isOver = true }
            return (state.task, state.upload.take())
        }
        if let task { return fail(task, with: reason) { $0() } }
        // The exchange first: otherwise the body's cancellation would be reported as the reason.
        call.exchange.fail(with: reason)
        upload?.cancel()
    }

    /// Fails an exchange, and cancels its task.
    ///
    /// - Parameter deliver: Delivers the failure; nil to deliver it like other results.
    func fail(
        _ id: Int, with error: any Error, delivering deliver: TransportExchange.Delivery? = nil
    ) {
        guard let entry = remove(id) else { return }
        stop(entry.task)
        entry.call.exchange.fail(with: error, delivering: deliver ?? self.deliver)
    }

    /// Removes an exchange from the table.
    ///
    /// Of several threads that end an exchange, only the one that gets the entry here notifies the recipient.
    func remove(_ id: Int) -> Entry? {
        let entry = state.withLock { $0.entries.removeValue(forKey: id) }
        if entry != nil { invalidateIfDone() }
        return entry
    }

    /// Cancels a task on another thread, because on Linux, that waits for a queue of the session.
    func stop(_ task: URLSessionTask) { aside.async { task.cancel() } }

    @discardableResult
    func close(cancelling: Bool) -> Future<Void> {
        let calls = state.withLock { state -> [Call] in
            state.isClosed = true
            guard cancelling else { return [] }
            state.isCancelling = true
            return state.entries.values.map(\.call) + state.uploads.values
        }
        for call in calls { endCall(call, with: CancellationError()) }
        invalidateIfDone()
        return closed.map { $0 }
    }

    /// Invalidates the session if the transport is closed and no call needs the session.
    func invalidateIfDone() {
        let session = state.withLock { state -> URLSession? in
            guard state.isClosed, state.starting == 0, state.entries.isEmpty, !state.isInvalidated
            else { return nil }
            state.isInvalidated = true
            return state.session
        }
        #if !canImport(FoundationNetworking)
        if isGuest, session != nil {
            state.withLock { $0.session = nil }
            closed.resolve()
            return
        }
        #endif
        session?.finishTasksAndInvalidate()
    }
}

#if canImport(FoundationNetworking)
/// Runs each operation at once, on the thread that adds it; a session calls its delegate on this queue.
///
/// On Linux, URLSession calls its delegate at least three times per request, and separate operations would be a large
/// part of the cost. So the delegate runs on the session's own queue, where it only records events and passes on those
/// that others wait for.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    // `@unchecked`, because the class adds no state to its Sendable superclass.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif
