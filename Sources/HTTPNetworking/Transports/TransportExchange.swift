package import PledgeFutures
package import PledgeServices

/// One exchange of a transport: its request, its response so far, its recipient and its limits.
///
/// The exchange also keeps the record of the call up to date. The transport moves bytes and reports what happens to
/// them, from one thread at a time. Any thread may call ``end(with:)``. No lock is held while a promise settles or a
/// closure of the transport runs.
package final class TransportExchange: Sendable {
    /// The promise that gets the response.
    package enum Recipient: Sendable {
        case whole(InternalPromise<HTTPResponse>)
        case streamed(InternalPromise<HTTPStreamedResponse>)

        /// Fails the call.
        package func fail(with error: any Error) {
            switch self {
            case .whole(let promise): promise.reject(with: error)
            case .streamed(let promise): promise.reject(with: error)
            }
        }

        /// Registers a closure that is called when the response is no longer awaited.
        package func onCancel(_ handler: @escaping @Sendable () -> Void) {
            switch self {
            case .whole(let promise): promise.onCancel(handler)
            case .streamed(let promise): promise.onCancel(handler)
            }
        }
    }

    /// The limits and hooks of a transport, the same for all of its exchanges.
    package struct Limits: Sendable {
        /// The largest body of a whole response, in bytes.
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

    private struct State {
        /// The recipient; nil once the head of a streamed response has arrived.
        ///
        /// If the exchange kept the promise, the promise would keep the response alive, and nobody would notice that
        /// the caller has released the response.
        var recipient: Recipient?
        /// The head of the response, without the body, so that copying the head does not copy the body.
        var head: HTTPResponse?
        var body = Data()
        /// The length of the body that the head announces, in bytes; nil if it announces none.
        var announced: Int64?
        var received: Int64 = 0
        var sink: (any TransportBody)?
        /// True once the record of the call has an entry for the sent request; `mark` identifies that entry.
        var isNoted = false
        var mark: CallRecord.Mark?
        /// The time when a byte last arrived or left; nil while no byte is expected.
        var lastSign: SchedulerInstant?
        /// True while the reader of a streamed body asks for no chunk.
        var isReaderAway = false
        var idlePlace: Int?
        /// The instant at which the wait for a free connection began; nil while the request doesn't wait.
        var queueing: SchedulerInstant?
        var queuePlace: Int?
        /// The current upload or download, during which the policies' time limits pause.
        var moving: CallRecord.Pause?
        var deadline: (any ScheduledAction)?
        /// The connections to the host; nil if the transport knows each connection itself.
        var connections: HostConnections?
        /// The instant at which the request was sent last.
        var sent: SchedulerInstant?
        var stop: (@Sendable (any Error) -> Void)?
        /// The reason to end the exchange before its response is complete.
        var reason: (any Error)?
        var isOver = false
    }

    package let request: HTTPRequest
    /// The request in an object, for the response to keep.
    private let boxed: BoxedRequest
    package let isStreamed: Bool
    /// The context of the caller.
    package let context = CallContext.current
    private let limits: Limits
    private let scheduler: any FutureScheduler
    private let start: SchedulerInstant
    private let state: Locked<State>

    /// Creates the exchange of a call that begins now.
    ///
    /// - Parameter scheduler: The clock of the response's timing.
    /// - Throws: `CancellationError` in a task that is already cancelled, `HTTPRequest.Error` if the request cannot be
    ///   sent, `HTTPError` if the deadline has passed, and `AttemptSuperseded` if the attempt is over.
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
        state = Locked(State(recipient: recipient, lastSign: limits.idle?.scheduler.now))
    }

    /// Sets the connections over which the request will be sent.
    package func use(_ connections: HostConnections?) {
        if let connections { state.withLock { $0.connections = connections } }
    }

    /// Starts to enforce the time limits, and to notice when the response is no longer awaited.
    ///
    /// - Parameter stop: Ends the transport's work; the transport then calls ``fail(with:delivering:)`` with the error.
    ///   Called at most once.
    package func watch(stop: @escaping @Sendable (any Error) -> Void) {
        let recipient = state.withLock { state in
            if !state.isOver { state.stop = stop }
            return state.recipient
        }
        recipient?.onCancel { self.end(with: CancellationError()) }
        if let watches = limits.idle {
            let place = watches.add(self)
            let isKept = state.withLock { state in
                if !state.isOver { state.idlePlace = place }
                return !state.isOver
            }
            if !isKept { watches.remove(place) }
        }
        watchDeadline()
    }

    private func watchDeadline() {
        guard let timer = context.atDeadline({ self.end(with: self.lateness) }) else { return }
        let isKept = state.withLock { state in
            if !state.isOver { state.deadline = timer }
            return !state.isOver
        }
        if !isKept { timer.cancel() }
    }

    /// The error of a deadline that has passed.
    private var lateness: HTTPError {
        let wait = state.withLock { $0.queueing }?.duration(to: scheduler.now)
        return HTTPError(.deadline(after: elapsed, waiting: wait), request: request)
    }

    /// The time since the call began.
    package var elapsed: Duration { start.duration(to: scheduler.now) }

    /// True if the response, or a failure, has been delivered.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// Ends the exchange before its response is complete.
    package func end(with reason: any Error) {
        let (stop, silence) = state.withLock { state in
            defer { state.stop = nil }
            guard state.reason == nil else { return (state.stop, nil as Silence?) }
            state.reason = reason
            return (state.stop, Silence(state))
        }
        // The connections are left before the caller learns of the end, so that its next attempt uses other ones.
        if let silence, isLimit(reason) { silence.connections.noteLimit(since: silence.start) }
        stop?(reason)
    }

    /// The connections of a request that waits for bytes, and the instant at which the request was sent.
    private struct Silence {
        let connections: HostConnections
        let start: SchedulerInstant

        init?(_ state: State) {
            guard let connections = state.connections, let sent = state.sent,
                state.head == nil || !state.isReaderAway
            else { return nil }
            self.connections = connections
            start = sent
        }
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
        HTTPError.failure(ofBody: error).naming(request)
    }
}

/// The receiver of the bytes of a streamed response's body.
package protocol TransportBody: Sendable {
    /// Takes bytes.
    ///
    /// - Returns: A future that settles when there is room for more.
    /// - Throws: An error that ends the exchange.
    func take(_ data: Data) throws -> Future<Void>

    /// Ends the body after the bytes taken so far.
    func end(_ result: Result<Void, any Error>)
}

extension HTTPBodyPipe: TransportBody {
    package func take(_ data: Data) -> Future<Void> { write(data) }

    package func end(_ result: Result<Void, any Error>) {
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
        let now = scheduler.now
        let isNew = state.withLock { state in
            if state.isOver || state.queueing != nil { return false }
            state.queueing = now
            state.lastSign = nil
            return true
        }
        guard isNew else { return context.endConnectionWait() }
        if context.isObserved {
            deliver { [context] in
                context.report(.note("waits for a free connection"), by: "transport")
            }
        }
        guard let watches = limits.connectionWait else { return }
        let place = watches.add(ConnectionWait(of: self, within: watches))
        let isKept = state.withLock { state in
            if state.queueing != nil { state.queuePlace = place }
            return state.queueing != nil
        }
        if !isKept { watches.remove(place) }
    }

    /// Notes that the request has a connection, or is about to get a new one.
    package func stopWaiting() {
        noteSign()
        let (wasQueueing, place) = state.withLock { state in
            (state.queueing.take() != nil, state.queuePlace.take())
        }
        if wasQueueing { leaveQueue(place) }
    }

    private func leaveQueue(_ place: Int?) {
        context.endConnectionWait()
        if let place { limits.connectionWait?.remove(place) }
    }

    /// Notes that the request is about to be sent.
    ///
    /// - Throws: `AttemptSuperseded` if the request may no longer be sent; or the reason to end the exchange, if there
    ///   is one.
    package func willSend() throws {
        let (reason, isOver, connections) = state.withLock {
            ($0.reason, $0.isOver, $0.connections)
        }
        if let reason { throw reason }
        if isOver { throw CancellationError() }
        stopWaiting()
        if let connections {
            let now = scheduler.now
            state.withLock { $0.sent = now }
            connections.noteRequest(of: context.record)
        }
        guard let record = context.record, state.withLock({ !$0.isNoted }) else { return }
        let mark = try record.willSend(replayable: request.isReplayable)
        state.withLock { state in
            state.isNoted = true
            state.mark = mark
        }
        if request.body.isUpload { move(.upload) }
    }

    /// Notes that the current upload or download ends, and that `next` begins; nil if none begins.
    private func move(_ next: CallRecord.Pause?) {
        guard let record = context.record else { return }
        if let next { record.begin(next, isOngoing: next == .download, on: scheduler) }
        let last = state.withLock { state in
            guard !state.isOver else { return next }
            defer { state.moving = next }
            return state.moving
        }
        if let last { record.end(last) }
    }

    /// Fails the exchange because it waited too long for a connection.
    fileprivate func giveUpWaiting(after limit: Duration) {
        end(with: HTTPError(.freeConnection(limit), request: request))
    }
}

/// An exchange that waits for a connection.
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
        if request.body.isUpload, let record = context.record,
            state.withLock({ $0.moving == .upload })
        {
            record.touch(.upload)
        }
        guard let now = limits.idle?.scheduler.now else { return }
        state.withLock { if !$0.isReaderAway { $0.lastSign = now } }
    }

    /// Notes that the connection has taken a piece of the request's body.
    package func noteSentBytes() {
        noteSign()
        state.withLock { $0.connections }?.noteByte()
    }

    /// Notes that the reader of the body asks for more, or has paused.
    private func noteReader(asks: Bool) {
        let now = asks ? limits.idle?.scheduler.now : nil
        state.withLock { state in
            state.isReaderAway = !asks
            state.lastSign = now
        }
    }

    /// Notes that no byte is expected until the next sign of activity.
    package func expectNothing() {
        if limits.idle != nil { state.withLock { $0.lastSign = nil } }
    }

    package var lastSign: SchedulerInstant? {
        state.withLock { state in
            let isLimited = state.head == nil || !request.context.readerLimitsIdleTime
            return isLimited ? state.lastSign : nil
        }
    }

    package func timeOut() {
        end(with: HTTPError(.idle(limits.idle?.limit ?? .zero), request: request))
    }
}

// MARK: - The response

extension TransportExchange {
    /// True if the head of the response has arrived.
    package var hasHead: Bool { state.withLock { $0.head != nil } }

    /// The status of the response, once its head has arrived.
    package var status: Int? { state.withLock { $0.head?.status } }

    /// The number of bytes of the body that have been passed on.
    package var receivedCount: Int64 { state.withLock { $0.received } }

    /// Returns whether the response has announced the length of its body, and all of the body has arrived.
    ///
    /// - Parameter count: The number of bytes that the transport has not passed on yet.
    package func isComplete(with count: Int = 0) -> Bool {
        state.withLock { $0.head != nil && $0.announced == $0.received + Int64(count) }
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
        noteBytes(ofAnswer: head.status >= 200)
        guard head.status >= 200 else { return nil }
        let method = request.method
        var head = head
        head.boxed = boxed
        head.url = head.url ?? request.url
        head.timing.untilHeaders = elapsed
        let isInvalid = head.hasInvalidLength(for: method)
        change(&head)
        request.keepCookies(of: &head)
        let length = head.announcedLength(for: method)
        let now = limits.idle?.scheduler.now
        let (recipient, mark) = state.withLock { state -> (Recipient?, CallRecord.Mark?) in
            guard !state.isOver, state.head == nil else { return (nil, nil) }
            state.head = head
            state.announced = head.headers["Transfer-Encoding"] == nil ? length : nil
            state.lastSign = isStreamed ? nil : now
            state.isReaderAway = isStreamed
            guard !isInvalid else { return (nil, nil) }
            guard isStreamed else {
                state.body.reserveCapacity(
                    Int(min(length ?? 0, Int64(min(limits.maxBodySize, 1 << 20)))))
                return (nil, nil)
            }
            return (state.recipient.take(), state.mark.take())
        }
        if isInvalid { return failure(.badResponse, reason: HTTPError.invalidLength) }
        move(isStreamed ? nil : .download)
        if case .streamed(let promise) = recipient {
            // The record is updated before the caller gets the response, because a policy that gets the response may
            // decide by the record. The body does not change the request's fate.
            if let mark { context.record?.end(mark, .init(of: .success(head))) }
            open(head, length: length, for: promise, deliver)
        }
        return !isStreamed && length ?? 0 > limits.maxBodySize ? tooLarge : nil
    }

    private func noteBytes(ofAnswer isAnswer: Bool) {
        let (connections, sent) = state.withLock { ($0.connections, $0.sent) }
        guard let connections else { return }
        connections.noteByte()
        guard isAnswer, let sent else { return }
        connections.noteAnswer(since: sent)
        context.record?.noteAnswer()
    }

    /// Notes whether requests to the host share a connection, as over HTTP/2.
    package func note(isShared: Bool) {
        state.withLock { $0.connections }?.note(isShared: isShared)
    }

    private func open(
        _ head: HTTPResponse, length: Int64?, for promise: InternalPromise<HTTPStreamedResponse>,
        _ deliver: Delivery
    ) {
        let (pipe, body) = HTTPBodyPipe.make(
            length: length, capacity: limits.maxUnreadBytes, handing: limits.hand)
        let sink = limits.makeBody?(pipe) ?? pipe
        pipe.onCancel { self.end(with: CancellationError()) }
        state.withLock { $0.sink = sink }
        let asking = HTTPBodyStream(
            length: length, next: { self.next(of: body) }, cancel: { body.cancel() })
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
        let now = limits.idle?.scheduler.now
        let fits = state.withLock { state in
            state.connections?.noteByte()
            guard bytes.count <= limits.maxBodySize - state.body.count else { return false }
            state.body.append(contentsOf: bytes)
            state.received += Int64(bytes.count)
            state.lastSign = now
            return true
        }
        return fits ? nil : tooLarge
    }

    private var tooLarge: HTTPError {
        failure(.bodyTooLarge, reason: HTTPError.tooLarge(limits.maxBodySize))
    }

    /// Passes bytes of a streamed body to its reader.
    ///
    /// - Parameter goOn: Called when there is room for more; not called if there is room now.
    /// - Returns: True if there is room for more now.
    package func pass(_ data: Data, goingOn goOn: @escaping @Sendable () -> Void) -> Bool {
        if data.isEmpty { return true }
        let sink = state.withLock { state in
            state.connections?.noteByte()
            state.received += Int64(data.count)
            state.lastSign = nil
            state.isReaderAway = true
            return state.sink
        }
        guard let sink else { return true }
        do {
            let room = try sink.take(data)
            if room.isSettled { return true }
            room.observe { _ in goOn() }
            return false
        } catch {
            end(with: error.naming(request))
            return true
        }
    }

    /// Notes how the connection was made, for a transport that learns it after the head.
    package func note(_ connection: ConnectionMetrics) {
        let connections = state.withLock { state in
            state.head?.timing.connection = connection
            return state.connections
        }
        guard let connections else { return }
        if let version = connection.protocolVersion {
            connections.note(isShared: !version.hasPrefix("HTTP/1"))
        }
        if let end = connection.untilSecure ?? connection.untilConnected {
            connections.note(connectTime: end - (connection.untilNameLookup ?? .zero))
        }
    }

    /// Discards the response, because the request is sent again.
    package func startAgain() {
        move(nil)
        let now = limits.idle?.scheduler.now
        state.withLockThenRelease { state in
            defer {
                (state.head, state.body, state.announced, state.received) = (nil, Data(), nil, 0)
                state.lastSign = now
            }
            return state.head
        }
    }
}

// MARK: - The end

extension TransportExchange {
    /// Delivers the complete response, or ends its streamed body.
    package func finish(delivering deliver: Delivery = { $0() }) { end(.success(()), deliver) }

    /// Delivers a failure, with the part of the response that has arrived.
    package func fail(with error: any Error, delivering deliver: Delivery = { $0() }) {
        end(.failure(error.naming(request)), deliver)
    }

    private func end(_ result: Result<Void, any Error>, _ deliver: Delivery) {
        var last = State(isOver: true)
        state.withLock { if !$0.isOver { swap(&$0, &last) } }
        if last.isOver { return }
        last.deadline?.cancel()
        if let place = last.idlePlace { limits.idle?.remove(place) }
        if last.queueing != nil { leaveQueue(last.queuePlace) }
        if let moving = last.moving { context.record?.end(moving) }
        let outcome = result.flatMap { check(last) }.mapError {
            errorWithPartialResponse($0, of: last)
        }
        if let mark = last.mark { context.record?.end(mark, .init(of: outcome)) }
        let (recipient, sink) = (last.recipient, last.sink)
        deliver {
            switch (recipient, outcome) {
            case (.whole(let promise), .success(let response)):
                self.report(response.timing)
                promise.resolve(with: response)
            case (let recipient?, .failure(let error)): recipient.fail(with: error)
            default: sink?.end(outcome.map { _ in () })
            }
        }
    }

    private func check(_ last: State) -> Result<HTTPResponse, any Error> {
        guard var whole = last.head else { return .failure(failure(.badResponse)) }
        if let announced = last.announced, last.received < announced {
            return .failure(failure(.connectionLost, reason: "its body ended early"))
        }
        whole.body = last.body
        whole.timing.total = elapsed
        return .success(whole)
    }

    /// Adds the partial response to an error, but without a body that is too large to keep.
    private func errorWithPartialResponse(_ error: any Error, of last: State) -> any Error {
        guard var error = error as? HTTPError, var part = last.head else { return error }
        part.body = error.code == .bodyTooLarge ? Data() : last.body
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
