internal import Futures

/// How far a sequence of requests has come.
///
/// Next, for each request: it is appended, it begins when the one before it was delivered, it may
/// fail, and it ends.
struct RequestProgress: Sendable {
    let rule: RequestFailureRule
    /// Settles when the request that was declared last has been delivered.
    private(set) var last: Future<Void> = Future(value: ())
    private(set) var failures: [any Error] = []
    private(set) var isCancelled = false
    /// Whether a request was cancelled, or not sent, since all were.
    private var isCutShort = false
    private var count = 0
    /// Cancels the request that is under way.
    private var running: (@Sendable () -> Void)?

    init(rule: RequestFailureRule) { self.rule = rule }

    /// Why no request is sent any more; nil while they are.
    var reasonToStop: (any Error)? {
        if isCancelled { return CancellationError() }
        return rule == .stop ? failures.first : nil
    }

    /// Why the sequence has failed, once all is delivered; nil if it has not.
    var failure: (any Error)? {
        if isCutShort { return CancellationError() }
        return rule == .stop ? failures.first : nil
    }

    /// Adds a request.
    ///
    /// Returns its number, counted from 1, and what it has to wait for.
    mutating func append(_ delivered: Future<Void>) -> (number: Int, previous: Future<Void>) {
        defer { last = delivered }
        count += 1
        return (count, last)
    }

    mutating func begin(_ cancel: @escaping @Sendable () -> Void) { running = cancel }

    mutating func fail(_ error: any Error) {
        if isCancelled { isCutShort = true }
        if !(error is RequestNotSent) { failures.append(error) }
    }

    mutating func end() { running = nil }

    /// Returns what cancels the request that is under way.
    mutating func cancel() -> (@Sendable () -> Void)? {
        isCancelled = true
        return running
    }
}
