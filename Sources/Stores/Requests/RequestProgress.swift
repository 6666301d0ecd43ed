internal import PledgeFutures

/// The progress of a sequence of requests.
///
/// Next, for each request: it is appended, it begins when the one before it was delivered, it may fail, and
/// it ends. A request without an answer is kept, and appended again if the sequence is resumed.
struct RequestProgress<Request: Sendable, Answer: Sendable>: Sendable {
    /// Sends a request after the one before it, and returns the future of its delivery.
    typealias Send =
        @Sendable (Sequence, _ previous: Future<Void>, _ delivered: Promise<Void>) -> Void
    typealias Sequence = RequestSequence<Request, Answer>

    let rule: RequestFailureRule
    /// Settles when the request that was declared last has been delivered.
    private(set) var last: Future<Void> = Future(value: ())
    private(set) var failures: [any Error] = []
    private(set) var isCancelled = false
    /// Whether a request was cancelled, or was not sent because all were cancelled.
    private var isCutShort = false
    /// The requests that failed or were not sent, in order.
    private var unanswered: [Send] = []
    private var isToResume = false
    private var count = 0
    /// Cancels the request that is under way.
    private var running: (@Sendable () -> Void)?

    init(rule: RequestFailureRule) { self.rule = rule }

    /// The reason why no more requests are sent; nil while they are sent.
    var reasonToStop: (any Error)? {
        if isCancelled { return CancellationError() }
        return rule == .stop ? failures.first : nil
    }

    /// The error of the sequence, after all deliveries; nil if it has not failed.
    var failure: (any Error)? {
        if isCutShort { return CancellationError() }
        return rule == .stop ? failures.first : nil
    }

    /// Adds a request.
    ///
    /// Returns its number, counted from 1, and the future that it has to wait for.
    mutating func append(_ delivered: Future<Void>) -> (number: Int, previous: Future<Void>) {
        defer { last = delivered }
        count += 1
        return (count, last)
    }

    mutating func started(cancelledBy cancel: @escaping @Sendable () -> Void) { running = cancel }

    mutating func fail(_ error: any Error, _ again: @escaping Send) {
        if isCancelled { isCutShort = true }
        unanswered.append(again)
        if !(error is RequestNotSent) { failures.append(error) }
    }

    mutating func end() { running = nil }

    /// Returns the function that cancels the request under way.
    mutating func cancel() -> (@Sendable () -> Void)? {
        isCancelled = true
        isToResume = false
        return running
    }

    mutating func resume() { isToResume = true }

    /// Begins again with the requests that had no answer, in order, if all have been delivered.
    ///
    /// - Parameter last: The request that was the last when it was delivered.
    /// - Returns: The functions that send them; nil if another request was declared meanwhile.
    mutating func takeUnanswered(after last: Future<Void>) -> [@Sendable (Sequence) -> Void]? {
        guard self.last === last else { return nil }
        guard isToResume else { return [] }
        (isToResume, isCancelled, isCutShort, failures) = (false, false, false, [])
        defer { unanswered = [] }
        return unanswered.map { send in
            let delivered = Promise<Void>()
            defer { self.last = delivered }
            return { [last = self.last] in send($0, last, delivered) }
        }
    }
}
