/// What a retry knows of one call, and decides at the end of each attempt.
///
/// An attempt is under way. Next: `finish`, or `retry` and then the next attempt.
struct RetryMachine: Sendable {
    /// What to do at the end of an attempt.
    enum Step: Equatable {
        /// The result is given back; why, if it could have been repeated.
        case finish(RetryWithheld?)
        /// The attempt is repeated after a while.
        case retry(after: Duration)
    }

    /// How many attempts there may be, the first included.
    let attempts: Int
    let backoff: Backoff
    let maxServerDelay: Duration

    /// The attempt that is under way, counted from one.
    private(set) var attempt = 1
    /// The last delay that the backoff chose.
    private var previous: Duration?

    init(attempts: Int, backoff: Backoff, maxServerDelay: Duration) {
        self.attempts = attempts
        self.backoff = backoff
        self.maxServerDelay = maxServerDelay
    }

    /// Ends the attempt that is under way.
    ///
    /// The questions are asked in this order, and only as far as necessary; the budget last, so that
    /// nothing is withdrawn for a retry that is not made.
    mutating func end(
        with outcome: Outcome, mayRepeat: @autoclosure () -> Bool,
        remaining: @autoclosure () -> Duration?, bits: @autoclosure () -> UInt64,
        withdraw: @autoclosure () -> Bool
    ) -> Step {
        guard case .retryable(let asked) = outcome else { return .finish(nil) }
        if attempt >= attempts { return .finish(.attemptsUsed) }
        if !mayRepeat() { return .finish(.notReplayable) }
        if let asked, asked > maxServerDelay { return .finish(.askedTooLong) }
        let chosen =
            asked.map { max($0, .zero) }
            ?? backoff.delay(before: attempt - 1, after: previous, bits: bits())
        if let remaining = remaining(), chosen >= remaining { return .finish(.deadline) }
        if !withdraw() { return .finish(.budget) }
        if asked == nil { previous = chosen }
        attempt += 1
        return .retry(after: chosen)
    }
}
