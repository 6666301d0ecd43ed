import PledgeFutures
import PledgeHTTPMessages
import PledgeServices

/// The phases of an exchange.
///
/// The machine takes no lock, reads no clock and calls nobody: each method takes an event and returns what to do, and
/// ``TransportExchange`` does that outside its lock. What the machine drops, it returns, so that nothing is released
/// under the lock either.
///
/// The request and the response have a phase each, because a server may answer before it has the whole request. A dash
/// means that the event changes nothing:
///
/// | the request           | preparing | waiting                | sent               |
/// |-----------------------|-----------|------------------------|--------------------|
/// | waits                 | waiting   | –                      | –                  |
/// | gets a connection     | –         | preparing              | –                  |
/// | is sent               | sent      | sent                   | sent, again        |
/// | is recorded           | –         | –                      | sent, with a mark  |
///
/// | the response          | awaited               | collected             | streamed      | refused       | over |
/// |-----------------------|-----------------------|-----------------------|---------------|---------------|------|
/// | gets a head           | collected or streamed | –                     | –             | –             | –    |
/// | gets an unusable head | refused               | –                     | –             | –             | –    |
/// | gets bytes            | –                     | collected, or refused | reader away   | –             | –    |
/// | is asked for          | –                     | –                     | reader asks   | –             | –    |
/// | is discarded          | awaited               | awaited               | –             | awaited       | –    |
/// | ends                  | over                  | over                  | over          | over          | –    |
///
/// | the transport         | unwatched             | watched               | stopped              |
/// |-----------------------|-----------------------|-----------------------|----------------------|
/// | is watched            | watched               | –                     | – (the first: stops) |
/// | is to stop            | stopped               | stopped: stops        | –                    |
///
/// A request whose transport is stopped isn't sent any more, but its response may still arrive. After the end, no event
/// changes anything, and nothing is sent.
struct ExchangeMachine<Recipient, Body, Watch, Mark> {
    struct Wait: Equatable {
        let start: SchedulerInstant
        /// The place among those whose wait is limited; nil without a limit.
        var place: Int?
    }

    enum Refusal {
        case invalidLength
        case tooLarge
    }

    struct Answer {
        /// The head, with the bytes that were collected; a streamed body's bytes aren't kept.
        var response: HTTPResponse
        /// The length of the body that the head announces, in bytes; nil if it announces none.
        let announced: Int64?
        var received: Int64 = 0
    }

    /// The call's record of a request that was sent.
    private enum Entry {
        case none
        /// Next: open, with the head.
        case uploading(Mark)
        /// Next: closed, with a streamed head.
        case open(Mark)
        case closed
    }

    private indirect enum Request {
        /// Next: waiting, sent.
        case preparing
        /// Next: preparing, sent.
        case waiting(Wait)
        case sent(at: SchedulerInstant, Entry)
    }

    private enum Reader {
        case asking
        case away
    }

    private indirect enum Response {
        /// Next: collected, streamed, refused, over.
        case awaited(Recipient)
        /// Next: refused, awaited again, over.
        case collected(Recipient, Answer)
        /// Next: over.
        ///
        /// The recipient has its response. If it were kept here, it would keep the response alive, and nobody would
        /// notice that the caller has released the response.
        case streamed(Body, Answer, Reader)
        /// Next: awaited again, over.
        case refused(Recipient, Answer, Refusal)
        case over
    }

    /// Whether the transport can be stopped, and why it was.
    private indirect enum Control {
        /// Next: watched, stopped.
        case unwatched
        /// Next: stopped.
        case watched(Watch)
        /// The watch is nil until the transport is watched; then it stops.
        case stopped(any Error, Watch?)
    }

    private let maxBodySize: Int
    private var request = Request.preparing
    private var response: Response
    private var control = Control.unwatched
    /// The instant when a byte last arrived or left; nil while no byte is expected.
    private(set) var lastSign: SchedulerInstant?

    /// Creates the machine of a request that isn't sent yet.
    init(for recipient: Recipient, maxBodySize: Int, at now: SchedulerInstant? = nil) {
        self.init(.awaited(recipient), maxBodySize, at: now)
    }

    private init(_ response: Response, _ maxBodySize: Int, at now: SchedulerInstant? = nil) {
        self.response = response
        self.maxBodySize = maxBodySize
        lastSign = now
    }
}

// MARK: - Stopping

extension ExchangeMachine {
    enum WatchAction {
        /// Notice when the recipient, if there is one, no longer awaits the response.
        case notice(Recipient?)
        /// Stop the transport, because that was asked for before it was watched.
        case stop(any Error)
        /// Release the watch: the exchange is over, or is watched already.
        case release
    }

    mutating func watch(_ watch: Watch) -> WatchAction {
        if isOver { return .release }
        switch control {
        case .unwatched:
            control = .watched(watch)
            return .notice(recipient)
        case .stopped(let reason, nil):
            control = .stopped(reason, watch)
            return .stop(reason)
        case .watched, .stopped: return .release
        }
    }

    /// Asks for the end of an exchange whose response is incomplete.
    ///
    /// - Returns: The watch with which to stop the transport; nil if it stops already, or isn't watched yet. Also the
    ///   instant since which the server owes bytes; nil if it owes none, as while the reader of a body is away.
    mutating func stop(because reason: any Error) -> (watch: Watch?, owing: SchedulerInstant?) {
        if isOver { return (nil, nil) }
        switch control {
        case .unwatched:
            control = .stopped(reason, nil)
            return (nil, owing)
        case .watched(let watch):
            control = .stopped(reason, watch)
            return (watch, owing)
        case .stopped: return (nil, nil)
        }
    }

    private var owing: SchedulerInstant? {
        guard case .sent(let instant, _) = request else { return nil }
        switch response {
        case .awaited, .collected, .streamed(_, _, .asking): return instant
        case .streamed, .refused, .over: return nil
        }
    }
}

// MARK: - The request

extension ExchangeMachine {
    /// Begins to wait for a connection.
    ///
    /// - Returns: False if the request doesn't wait, because it is already waiting or sent, or has its answer.
    mutating func enterQueue(_ wait: Wait) -> Bool {
        guard case .preparing = request, case .awaited = response else { return false }
        request = .waiting(wait)
        lastSign = nil
        return true
    }

    /// Leaves the queue, because the request has a connection, or is about to get one.
    ///
    /// - Returns: The wait that ends.
    mutating func leaveQueue() -> Wait? {
        defer { if case .waiting = request { request = .preparing } }
        return wait
    }

    /// Sends the request, or sends it again.
    ///
    /// - Returns: The wait that ends, and whether the call's record has no entry for the request yet.
    /// - Throws: The reason to stop, if the request must not be sent.
    mutating func send(at now: SchedulerInstant) throws -> (ended: Wait?, isNew: Bool) {
        if isOver { throw CancellationError() }
        if case .stopped(let reason, _) = control { throw reason }
        let ended = leaveQueue()
        guard case .sent(_, let entry) = request else {
            request = .sent(at: now, .none)
            return (ended, true)
        }
        request = .sent(at: now, entry)
        guard case .none = entry else { return (ended, false) }
        return (ended, true)
    }

    /// Keeps the mark of the record's entry for the request.
    ///
    /// - Returns: True if the upload of the body goes on; false if there is none, or the response is there already.
    mutating func record(_ mark: Mark, uploading: Bool) -> Bool {
        guard !isOver, case .sent(let instant, .none) = request else { return false }
        let isUploading = uploading && !hasHead
        request = .sent(at: instant, isUploading ? .uploading(mark) : .open(mark))
        return isUploading
    }

    private mutating func endUpload() -> Bool {
        guard case .sent(let instant, .uploading(let mark)) = request else { return false }
        request = .sent(at: instant, .open(mark))
        return true
    }

    private mutating func closeEntry() -> Mark? {
        guard case .sent(let instant, _) = request, let mark else { return nil }
        request = .sent(at: instant, .closed)
        return mark
    }
}

// MARK: - Idle time

extension ExchangeMachine {
    /// Notes that a byte has arrived or left, or is expected from now on.
    ///
    /// While the reader of the body is away, this does not count as activity.
    ///
    /// - Returns: True if the upload of the body goes on.
    mutating func noteSign(at now: SchedulerInstant?) -> Bool {
        if case .streamed(_, _, .away) = response { return isUploading }
        lastSign = now
        return isUploading
    }

    /// Notes that no byte is expected until the next sign.
    mutating func expectNothing() { lastSign = nil }

    /// Notes that the reader of the body asks for bytes, or has paused.
    mutating func noteReader(asks: Bool, at now: SchedulerInstant?) {
        guard case .streamed(let body, let answer, _) = response else { return }
        response = .streamed(body, answer, asks ? .asking : .away)
        lastSign = asks ? now : nil
    }
}

// MARK: - The response

extension ExchangeMachine {
    /// The actions to take when a response's head arrives.
    struct HeadAction {
        /// The instant at which the request was sent; nil if that wasn't noted.
        var sent: SchedulerInstant?
        /// The upload that ends.
        var endsUpload = false
        /// The recipient who gets the response now; nil if the body is collected.
        var recipient: Recipient?
        /// The mark of the record's entry that ends, because the response is delivered.
        var mark: Mark?
        var refusal: Refusal?
    }

    /// Takes the head of the response.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - length: The length of the body that the head announces.
    ///   - isValid: False if the head doesn't say where the body ends.
    ///   - body: The receiver of a streamed body; nil to collect the body.
    /// - Returns: Nil if the head isn't the response of this exchange.
    mutating func receive(
        _ head: HTTPResponse, length: Int64?, isValid: Bool, into body: Body?,
        at now: SchedulerInstant?
    ) -> HeadAction? {
        guard case .awaited(let recipient) = response else { return nil }
        let isChunked = head.headers["Transfer-Encoding"] != nil
        var answer = Answer(response: head, announced: isChunked ? nil : length)
        var action = HeadAction()
        if case .sent(let instant, _) = request { action.sent = instant }
        let isTooLarge = body == nil && length ?? 0 > maxBodySize
        guard isValid, !isTooLarge else {
            let refusal = isValid ? Refusal.tooLarge : .invalidLength
            response = .refused(recipient, answer, refusal)
            action.refusal = refusal
            return action
        }
        action.endsUpload = endUpload()
        guard let body else {
            answer.response.body.reserveCapacity(Int(min(answer.announced ?? 0, 1 << 20)))
            response = .collected(recipient, answer)
            lastSign = now
            return action
        }
        action.recipient = recipient
        action.mark = closeEntry()
        response = .streamed(body, answer, .away)
        lastSign = nil
        return action
    }

    /// Takes bytes of a body that is collected.
    ///
    /// - Returns: False if the body is too large.
    mutating func collect(_ bytes: UnsafeRawBufferPointer, at now: SchedulerInstant?) -> Bool {
        guard case .collected(let recipient, var answer) = response else { return true }
        guard bytes.count <= maxBodySize - answer.response.body.count else {
            response = .refused(recipient, answer, .tooLarge)
            return false
        }
        // Nobody else holds the body while it grows, so it isn't copied.
        response = .over
        answer.response.body.append(contentsOf: bytes)
        answer.received += Int64(bytes.count)
        response = .collected(recipient, answer)
        lastSign = now
        return true
    }

    /// Passes bytes of a streamed body on.
    ///
    /// - Returns: The body that gets them; nil if nobody does.
    mutating func pass(_ count: Int) -> Body? {
        guard case .streamed(let body, var answer, _) = response else { return nil }
        answer.received += Int64(count)
        response = .streamed(body, answer, .away)
        lastSign = nil
        return body
    }

    /// Adds how the connection was made to a head that has arrived.
    mutating func add(_ connection: ConnectionMetrics) {
        answer?.response.timing.connection = connection
    }

    /// Discards the response, because the request is sent again.
    ///
    /// - Returns: The response, and the upload or download that ends.
    mutating func discardResponse(
        at now: SchedulerInstant?
    ) -> (answer: Answer?, pause: CallRecord.Pause?) {
        guard let recipient else { return (nil, nil) }
        let discarded = (answer, pause)
        _ = endUpload()
        response = .awaited(recipient)
        lastSign = now
        return discarded
    }
}

// MARK: - The end

extension ExchangeMachine {
    /// The reason why the end of the response isn't the end of a whole one.
    enum Flaw: Equatable {
        case noHead
        case bodyEndedEarly
        case refused(Refusal)
    }

    /// Ends the exchange.
    ///
    /// - Returns: The machine before its end, which says what to clear and to deliver; nil if the exchange is over.
    mutating func endExchange() -> ExchangeMachine? {
        if isOver { return nil }
        defer { self = ExchangeMachine(.over, maxBodySize) }
        return self
    }

    /// True if the response, or a failure, has been delivered.
    var isOver: Bool {
        guard case .over = response else { return false }
        return true
    }

    var hasHead: Bool {
        switch response {
        case .collected, .streamed, .refused: true
        case .awaited, .over: false
        }
    }

    /// The part of the response that has arrived; nil before the head, and after the end.
    private(set) var answer: Answer? {
        get {
            switch response {
            case .collected(_, let answer), .streamed(_, let answer, _), .refused(_, let answer, _):
                answer
            case .awaited, .over: nil
            }
        }
        set {
            guard let newValue else { return }
            switch response {
            case .collected(let recipient, _): response = .collected(recipient, newValue)
            case .streamed(let body, _, let reader): response = .streamed(body, newValue, reader)
            case .refused(let recipient, _, let refusal):
                response = .refused(recipient, newValue, refusal)
            case .awaited, .over: break
            }
        }
    }

    /// Returns whether all of the announced body has arrived, with `count` bytes that have not been passed on.
    func isComplete(with count: Int = 0) -> Bool {
        guard let answer, let announced = answer.announced else { return false }
        return announced == answer.received + Int64(count)
    }

    /// The reason why the response isn't whole; nil if it is.
    var flaw: Flaw? {
        if case .refused(_, _, let refusal) = response { return .refused(refusal) }
        guard let answer else { return .noHead }
        guard let announced = answer.announced, answer.received < announced else { return nil }
        return .bodyEndedEarly
    }

    /// Who gets the outcome of the exchange; nil if the recipient has its streamed response already.
    var recipient: Recipient? {
        switch response {
        case .awaited(let recipient), .collected(let recipient, _), .refused(let recipient, _, _):
            recipient
        case .streamed, .over: nil
        }
    }

    /// The receiver of a streamed body.
    var body: Body? {
        guard case .streamed(let body, _, _) = response else { return nil }
        return body
    }

    var wait: Wait? {
        guard case .waiting(let wait) = request else { return nil }
        return wait
    }

    /// The upload or download, during which the policies' time limits pause.
    var pause: CallRecord.Pause? {
        if case .collected = response { return .download }
        return isUploading ? .upload : nil
    }

    /// True while the body of the request is uploaded.
    var isUploading: Bool {
        guard case .sent(_, .uploading) = request else { return false }
        return true
    }

    /// The mark of the record's open entry for the request.
    var mark: Mark? {
        guard case .sent(_, let entry) = request else { return nil }
        switch entry {
        case .uploading(let mark), .open(let mark): return mark
        case .none, .closed: return nil
        }
    }

    var watch: Watch? {
        switch control {
        case .watched(let watch), .stopped(_, let watch?): watch
        case .unwatched, .stopped: nil
        }
    }
}
