package import PledgeFutures
package import PledgeHTTPMessages
package import PledgeServices
import Synchronization

/// One exchange of a transport: its request, its response so far, its recipient and its limits.
///
/// The exchange also keeps the record of the call up to date. The transport moves bytes and reports what happens to
/// them, from one thread at a time. Any thread may call ``stop(because:)``. Each event takes the lock, asks the
/// ``ExchangeMachine`` what to do, and does it outside the lock. So no lock is held while a promise settles or a closure
/// of the transport runs.
package final class TransportExchange: Sendable {
    /// The promise that gets the response.
    package enum Recipient: Sendable {
        case whole(InternalPromise<HTTPResponse>)
        case streamed(InternalPromise<HTTPStreamedResponse>)

        package func fail(with error: any Error) {
            switch self {
            case .whole(let promise): promise.reject(with: error)
            case .streamed(let promise): promise.reject(with: error)
            }
        }

        /// Registers a closure that is called when the response is no longer awaited.
        fileprivate func onCancel(_ handler: @escaping @Sendable () -> Void) {
            switch self {
            case .whole(let promise): promise.onCancel(handler)
            case .streamed(let promise): promise.onCancel(handler)
            }
        }
    }

    /// The limits and hooks of a transport, the same for all of its exchanges.
    package struct Limits: Sendable {
        package var maxBodySize: Int
        /// The number of bytes of a streamed body that may wait for its reader.
        package var maxUnreadBytes: Int
        /// The watches that detect idle exchanges; nil without an idle limit.
        package var idle: IdleWatches?
        /// The watches that detect when a request has waited too long for a connection; nil without a limit.
        package var connectionWait: IdleWatches?
        /// Runs the functions of a body's reader; nil to run them at once.
        package var hand: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
        /// Creates the receiver of a streamed body's bytes; nil to use the given pipe itself.
        package var makeBody: (@Sendable (HTTPBodyPipe) -> any TransportBody)?

        package init(
            maxBodySize: Int, maxUnreadBytes: Int, idle: IdleWatches? = nil,
            connectionWait: IdleWatches? = nil,
            hand: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil,
            makeBody: (@Sendable (HTTPBodyPipe) -> any TransportBody)? = nil
        ) {
            self.maxBodySize = maxBodySize
            self.maxUnreadBytes = maxUnreadBytes
            self.idle = idle
            self.connectionWait = connectionWait
            self.hand = hand
            self.makeBody = makeBody
        }
    }

    /// A function that runs a closure on the thread where the transport's futures settle.
    package typealias Delivery = (@escaping @Sendable () -> Void) -> Void

    /// What ends the exchange before its response is complete.
    private struct Watch {
        let stop: @Sendable (any Error) -> Void
        /// The place among the exchanges whose idle time is limited.
        let idlePlace: Int?
        let deadline: (any ScheduledAction)?
    }

    private typealias Machine = ExchangeMachine<
        Recipient, any TransportBody, Watch, CallRecord.Mark
    >

    package let request: HTTPRequest
    /// The request in an object, for the response to keep.
    private let boxed: BoxedRequest
    package let isStreamed: Bool
    package let context = CallContext.current
    private let limits: Limits
    private let scheduler: any FutureScheduler
    private let start: SchedulerInstant
    private let machine: Locked<Machine>
    /// The connections to the host; nil if the transport knows each connection itself.
    private let connections = AtomicLazyReference<HostConnections>()

    /// Creates the exchange of a call that begins now.
    ///
    /// - Parameter scheduler: The clock of the response's timing.
    /// - Throws: `CancellationError` in a task that is already cancelled, `Endpoint.Error` if the request cannot be
    ///   sent, `HTTPError` if the deadline has passed, and `ServiceError.Code.superseded` if the attempt is over.
    package init(
        _ request: HTTPRequest, for recipient: Recipient, within limits: Limits,
        on scheduler: any FutureScheduler
    ) throws {
        if CallBeginning.isTooLate { throw CancellationError() }
        try request.validate()
        try context.checkDeadline(request: request)
        try context.record?.willQueue()
        self.request = request
        boxed = BoxedRequest(request)
        self.limits = limits
        self.scheduler = scheduler
        start = scheduler.now
        if case .streamed = recipient { isStreamed = true } else { isStreamed = false }
        machine = Locked(
            Machine(
                for: recipient, maxBodySize: limits.maxBodySize,
                at: limits.idle == nil ? nil : start))
    }

    /// Sets the connections over which the request will be sent.
    package func use(_ connections: HostConnections?) {
        if let connections { _ = self.connections.storeIfNil(connections) }
    }

    /// Starts to enforce the time limits, and to notice when the response is no longer awaited.
    ///
    /// - Parameter stop: Ends the transport's work; the transport then calls ``fail(with:delivering:)`` with the error.
    ///   Called at most once.
    package func watch(stop: @escaping @Sendable (any Error) -> Void) {
        let watch = Watch(
            stop: stop, idlePlace: limits.idle?.add(self),
            deadline: context.atDeadline { self.stop(because: self.lateness) })
        switch machine.withLock({ $0.watch(watch) }) {
        case .notice(let recipient):
            recipient?.onCancel { self.stop(because: CancellationError()) }
        case .stop(let reason): stop(reason)
        case .release: clear(watch)
        }
    }

    private func clear(_ watch: Watch) {
        watch.deadline?.cancel()
        if let place = watch.idlePlace { limits.idle?.remove(place) }
    }

    private var lateness: HTTPError {
        let wait = machine.withLock { $0.wait }?.start.duration(to: scheduler.now)
        return HTTPError(.deadline(after: elapsed, waiting: wait), request: request)
    }

    package var elapsed: Duration { start.duration(to: scheduler.now) }

    /// True if the response, or a failure, has been delivered.
    package var isOver: Bool { machine.withLock { $0.isOver } }

    /// Ends the exchange before its response is complete.
    package func stop(because reason: any Error) {
        let (watch, owing) = machine.withLock { $0.stop(because: reason) }
        // The connections are left before the caller learns of the end, so that its next attempt uses other ones.
        if let owing, let connections = connections.load(), isLimit(reason) {
            connections.noteLimit(since: owing)
        }
        watch?.stop(reason)
    }

    /// Returns whether a reason for the end of the exchange is a limit of time.
    package func isLimit(_ reason: any Error) -> Bool {
        if let error = reason as? HTTPError { return error.code == .timedOut }
        if let left = context.remaining, left <= .zero { return true }
        return context.record?.isOutOfTime == true
    }

    package func failure(
        _ code: HTTPError.Code, cause: (any Error)? = nil, reason: String? = nil
    ) -> HTTPError {
        HTTPError(code: code, request: request, cause: cause, reason: reason)
    }

    /// Returns the error for a body that cannot be read.
    package func unreadable(_ error: any Error) -> any Error {
        HTTPError.failure(ofBody: error).withRequest(request)
    }
}

/// The receiver of the bytes of a streamed response's body.
package protocol TransportBody: Sendable {
    /// Takes bytes.
    ///
    /// - Returns: A future that settles when there is room for more.
    /// - Throws: An error that ends the exchange.
    func takeBytes(_ data: Data) throws -> Future<Void>

    /// Ends the body after the bytes taken so far.
    func endBody(_ result: Result<Void, any Error>)
}

extension HTTPBodyPipe: TransportBody {
    package func takeBytes(_ data: Data) -> Future<Void> { write(data) }

    package func endBody(_ result: Result<Void, any Error>) {
        switch result {
        case .success: finish()
        case .failure(let error): fail(error)
        }
    }
}

// MARK: - The request

extension TransportExchange {
    /// Notes that the request waits for a connection, because all allowed connections are in use.
    ///
    /// - Parameter deliver: Tells the observers.
    package func waitForConnection(delivering deliver: Delivery = { $0() }) {
        // The context is updated first, so that another thread cannot note the end of the wait before its beginning.
        context.beginConnectionWait(on: scheduler)
        let place = limits.connectionWait.map { $0.add(ConnectionWait(of: self, within: $0)) }
        let wait = Machine.Wait(start: scheduler.now, place: place)
        guard machine.withLock({ $0.enterQueue(wait) }) else { return leaveQueue(wait) }
        guard context.isObserved else { return }
        deliver { [context] in
            context.report(.note("waits for a free connection"), by: "transport")
        }
    }

    /// Notes that the request has a connection, or is about to get a new one.
    package func stopWaiting() {
        let now = idleTime
        let (isUploading, wait) = machine.withLock { ($0.noteSign(at: now), $0.leaveQueue()) }
        if isUploading { context.record?.noteProgress(of: .upload) }
        if let wait { leaveQueue(wait) }
    }

    private func leaveQueue(_ wait: Machine.Wait) {
        context.endConnectionWait()
        if let place = wait.place { limits.connectionWait?.remove(place) }
    }

    /// Notes that the request is about to be sent.
    ///
    /// - Throws: `ServiceError.Code.superseded` if the request may no longer be sent; or the reason to end the exchange, if there
    ///   is one.
    package func willSend() throws {
        let now = scheduler.now
        let (sending, isUploading) = try machine.withLock {
            (try $0.send(at: now), $0.noteSign(at: now))
        }
        if isUploading { context.record?.noteProgress(of: .upload) }
        if let wait = sending.ended { leaveQueue(wait) }
        connections.load()?.noteRequest(of: context.record)
        guard sending.isNew, let record = context.record else { return }
        let mark = try record.willSend(replayable: request.isReplayable)
        let isUpload = request.body.isUpload
        if isUpload { record.beginPause(.upload, isOngoing: false, on: scheduler) }
        let goesOn = machine.withLock { $0.record(mark, uploading: isUpload) }
        if isUpload, !goesOn { record.endPause(.upload) }
    }

    /// Fails the exchange because it waited too long for a connection.
    fileprivate func giveUpWaiting(after limit: Duration) {
        stop(because: HTTPError(.freeConnection(limit), request: request))
    }
}

private final class ConnectionWait: IdleWatched {
    private let exchange: TransportExchange
    private let limit: Duration
    let lastSign: SchedulerInstant?

    init(of exchange: TransportExchange, within watches: IdleWatches) {
        self.exchange = exchange
        limit = watches.limit
        lastSign = watches.scheduler.now
    }

    func timeOut() { exchange.giveUpWaiting(after: limit) }
}

extension TransportExchange: IdleWatched {
    /// Notes that a byte has arrived or left, or is expected from now on.
    ///
    /// While the reader of the body pauses, this does not count as activity.
    package func noteSign() {
        let now = idleTime
        if machine.withLock({ $0.noteSign(at: now) }) { context.record?.noteProgress(of: .upload) }
    }

    /// Notes that the connection has taken a piece of the request's body.
    package func noteSentBytes() {
        noteSign()
        connections.load()?.noteByte()
    }

    private func noteReader(asks: Bool) {
        let now = asks ? idleTime : nil
        machine.withLock { $0.noteReader(asks: asks, at: now) }
    }

    /// Notes that no byte is expected until the next sign of activity.
    package func expectNothing() { machine.withLock { $0.expectNothing() } }

    package var lastSign: SchedulerInstant? {
        let readerLimits = request.context.readerLimitsIdleTime
        return machine.withLock { readerLimits && $0.hasHead ? nil : $0.lastSign }
    }

    /// The present time; nil if nobody limits the idle time.
    private var idleTime: SchedulerInstant? { limits.idle == nil ? nil : scheduler.now }

    package func timeOut() {
        stop(because: HTTPError(.idle(limits.idle?.limit ?? .zero), request: request))
    }
}

// MARK: - The response

extension TransportExchange {
    package var hasHead: Bool { machine.withLock { $0.hasHead } }

    package var status: Int? { machine.withLock { $0.answer?.response.status } }

    /// The number of bytes of the body that have been passed on.
    package var receivedCount: Int64 { machine.withLock { $0.answer?.received ?? 0 } }

    /// Returns whether the response has announced the length of its body, and all of the body has arrived.
    ///
    /// - Parameter count: The number of bytes that the transport has not passed on yet.
    package func isComplete(with count: Int = 0) -> Bool {
        machine.withLock { $0.isComplete(with: count) }
    }

    /// Takes the head of the response; ignores the heads of interim responses (1xx).
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - deliver: Delivers a streamed response.
    ///   - change: Changes the head after its framing has been checked.
    /// - Returns: The error with which the transport must end the exchange; nil if the response is accepted.
    package func receive(
        _ head: HTTPResponse, delivering deliver: Delivery = { $0() },
        changing change: (inout HTTPResponse) -> Void = { _ in }
    ) -> HTTPError? {
        let connections = connections.load()
        connections?.noteByte()
        guard head.status >= 200 else { return nil }
        let method = request.method
        var head = head
        head.boxed = boxed
        head.url = head.url ?? request.url
        head.timing.untilHeaders = elapsed
        let isValid = !head.hasInvalidLength(for: method)
        change(&head)
        request.keepCookies(of: &head)
        let length = head.announcedLength(for: method)
        let stream = isStreamed ? makeStream(length: length) : nil
        let now = idleTime
        // The download begins before another thread can end it.
        if !isStreamed { context.record?.beginPause(.download, isOngoing: true, on: scheduler) }
        let action = machine.withLock {
            $0.receive(head, length: length, isValid: isValid, into: stream?.sink, at: now)
        }
        if !isStreamed, action == nil || action?.refusal != nil {
            context.record?.endPause(.download)
        }
        guard let action else { return nil }
        if let connections, let sent = action.sent {
            connections.noteAnswer(since: sent)
            context.record?.noteAnswer()
        }
        recordHead(action, of: head)
        if let stream, case .streamed(let promise) = action.recipient {
            open(stream, head, for: promise, deliver)
        }
        return action.refusal.map(error(of:))
    }

    private func recordHead(_ action: Machine.HeadAction, of head: HTTPResponse) {
        if action.endsUpload { context.record?.endPause(.upload) }
        // The record is updated before the caller gets the response, because a policy that gets the response may decide
        // by the record. The body does not change the request's fate.
        if let mark = action.mark { context.record?.endRequest(mark, .init(of: .success(head))) }
    }

    private func error(of refusal: Machine.Refusal) -> HTTPError {
        switch refusal {
        case .invalidLength: failure(.badResponse, reason: HTTPError.invalidLength)
        case .tooLarge: failure(.bodyTooLarge, reason: HTTPError.tooLarge(limits.maxBodySize))
        }
    }

    /// Notes whether requests to the host share a connection, as over HTTP/2.
    package func noteSharing(_ isShared: Bool) {
        connections.load()?.noteSharing(isShared)
    }

    /// The two ends of a streamed body, which are made before the lock is taken.
    private struct Stream {
        let pipe: HTTPBodyPipe
        let sink: any TransportBody
        let body: HTTPBodyStream
    }

    private func makeStream(length: Int64?) -> Stream {
        let (pipe, body) = HTTPBodyPipe.make(
            length: length, capacity: limits.maxUnreadBytes, handing: limits.hand)
        return Stream(pipe: pipe, sink: limits.makeBody?(pipe) ?? pipe, body: body)
    }

    private func open(
        _ stream: Stream, _ head: HTTPResponse, for promise: InternalPromise<HTTPStreamedResponse>,
        _ deliver: Delivery
    ) {
        stream.pipe.onCancel { self.stop(because: CancellationError()) }
        let body = stream.body
        let asking = HTTPBodyStream(
            length: body.length, next: { self.next(of: body) }, cancel: { body.cancel() })
        let streamed = HTTPStreamedResponse(head, body: asking)
        deliver {
            self.report(head.timing)
            promise.resolve(with: streamed)
        }
    }

    private func next(of body: HTTPBodyStream) -> Future<Data?> {
        // Before `next()` is called, the reader is noted as asking. If a chunk arrives during the call, the reader is
        // noted as away, and a later note that the reader asks would undo that.
        noteReader(asks: true)
        let chunk = body.next()
        if chunk.isSettled { noteReader(asks: false) }
        return chunk
    }

    /// Takes bytes of a body that is collected.
    ///
    /// - Returns: The error with which the transport must end the exchange; nil if the bytes are accepted.
    package func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPError? {
        connections.load()?.noteByte()
        let now = idleTime
        if machine.withLock({ $0.collect(bytes, at: now) }) { return nil }
        context.record?.endPause(.download)
        return error(of: .tooLarge)
    }

    /// Passes bytes of a streamed body to its reader.
    ///
    /// - Parameter goOn: Called when there is room for more; not called if there is room now.
    /// - Returns: True if there is room for more now.
    package func pass(_ data: Data, goingOn goOn: @escaping @Sendable () -> Void) -> Bool {
        if data.isEmpty { return true }
        connections.load()?.noteByte()
        guard let sink = machine.withLock({ $0.pass(data.count) }) else { return true }
        do {
            let room = try sink.takeBytes(data)
            if room.isSettled { return true }
            room.observe { _ in goOn() }
            return false
        } catch {
            stop(because: error.withRequest(request))
            return true
        }
    }

    /// Notes how the connection was made, for a transport that learns it after the head.
    package func noteConnection(_ connection: ConnectionMetrics) {
        machine.withLock { $0.add(connection) }
        guard let connections = connections.load() else { return }
        if let version = connection.protocolVersion {
            connections.noteSharing(!version.hasPrefix("HTTP/1"))
        }
        if let end = connection.untilSecure ?? connection.untilConnected {
            connections.noteConnectTime(end - (connection.untilNameLookup ?? .zero))
        }
    }

    /// Discards the response, because the request is sent again.
    package func startAgain() {
        let now = idleTime
        let discarded = machine.withLock { $0.discardResponse(at: now) }
        if let pause = discarded.pause { context.record?.endPause(pause) }
    }
}

// MARK: - The end

extension TransportExchange {
    /// Delivers the complete response, or ends its streamed body.
    package func finish(delivering deliver: Delivery = { $0() }) {
        endExchange(.success(()), deliver)
    }

    /// Delivers a failure, with the part of the response that has arrived.
    package func fail(with error: any Error, delivering deliver: Delivery = { $0() }) {
        endExchange(.failure(error.withRequest(request)), deliver)
    }

    private func endExchange(_ result: Result<Void, any Error>, _ deliver: Delivery) {
        guard let last = machine.withLock({ $0.endExchange() }) else { return }
        if let watch = last.watch { clear(watch) }
        if let wait = last.wait { leaveQueue(wait) }
        if let pause = last.pause { context.record?.endPause(pause) }
        let outcome = result.flatMap { whole(last) }.mapError {
            errorWithPartialResponse($0, of: last)
        }
        if let mark = last.mark { context.record?.endRequest(mark, .init(of: outcome)) }
        let (recipient, sink) = (last.recipient, last.body)
        deliver {
            switch (recipient, outcome) {
            case (.whole(let promise), .success(let response)):
                self.report(response.timing)
                promise.resolve(with: response)
            case (let recipient?, .failure(let error)): recipient.fail(with: error)
            default: sink?.endBody(outcome.map { _ in () })
            }
        }
    }

    private func whole(_ last: Machine) -> Result<HTTPResponse, any Error> {
        guard last.flaw == nil, var whole = last.answer?.response else {
            return .failure(error(of: last.flaw ?? .noHead))
        }
        whole.timing.total = elapsed
        return .success(whole)
    }

    private func error(of flaw: Machine.Flaw) -> HTTPError {
        switch flaw {
        case .noHead: failure(.badResponse)
        case .bodyEndedEarly: failure(.connectionLost, reason: "its body ended early")
        case .refused(let refusal): error(of: refusal)
        }
    }

    /// Adds the partial response to an error, but without a body that is too large to keep.
    private func errorWithPartialResponse(_ error: any Error, of last: Machine) -> any Error {
        guard var error = error as? HTTPError, var part = last.answer?.response else {
            return error
        }
        if error.code == .bodyTooLarge { part.body = Data() }
        part.timing.total = elapsed
        error.response = part
        return error
    }

    private func report(_ timing: HTTPTiming) {
        guard let connection = timing.connection else { return }
        // Two separate notes, because recorders cut off a long note.
        context.report(.note(connection.place), by: "transport")
        context.report(.note(connection.times), by: "transport")
    }
}
