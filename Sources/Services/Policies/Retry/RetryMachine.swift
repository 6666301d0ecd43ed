/// The state of a retry for one call, and its decision at the end of each attempt.
///
/// An attempt is under way. Next: `finish`, or `retry` and then the next attempt.
struct RetryMachine: Sendable {
    /// What to do at the end of an attempt.
    enum Decision: Equatable {
        /// The result is returned; with the reason, if it could have been repeated.
        case finish(RetryRefusal?)
        /// The attempt is repeated after a delay.
        case retry(after: Duration)
    }

    /// What an attempt's end means for the budget.
    enum BudgetChange {
        /// A call succeeded without a retry.
        case deposit
        /// A retry succeeded, or was not sent, and puts back what it took.
        case refund
    }

    /// How many attempts there may be, the first included.
    let attempts: Int
    let backoff: Backoff
    let maxServerDelay: Duration
    let unproven: UnprovenRetries

    /// The attempt that is under way, counted from one.
    private(set) var attempt = 1
    /// Whether the attempt that is under way has taken from the budget.
    private(set) var hasPaid = false
    /// The last delay that the backoff chose.
    private var previous: Duration?

    init(
        attempts: Int, backoff: Backoff, maxServerDelay: Duration,
        unproven: UnprovenRetries = .allowed
    ) {
        self.attempts = attempts
        self.backoff = backoff
        self.maxServerDelay = maxServerDelay
        self.unproven = unproven
    }

    /// What the end of the attempt that is under way means for the budget, if anything.
    ///
    /// A healthy service counts, also one that says that the request is wrong. An attempt that was given up
    /// takes its token along: else limits of time around a retry would let it spend without end.
    func budgetChange(after outcome: Outcome) -> BudgetChange? {
        switch outcome.health {
        case .healthy: attempt == 1 ? .deposit : hasPaid ? .refund : nil
        case .unhealthy: nil
        case .unknown: hasPaid && outcome.hasLoadedNoService ? .refund : nil
        }
    }

    /// Ends the attempt that is under way.
    ///
    /// The conditions are checked in this order, and only as far as necessary; the budget is last, so that
    /// nothing is withdrawn for a retry that is not made. A retry is free if the network or a policy of this
    /// process kept the attempt from the service.
    mutating func end(
        with outcome: Outcome, _ repeatability: Repeatability,
        remaining: @autoclosure () -> Duration?, bits: @autoclosure () -> UInt64,
        withdraw: @autoclosure () -> Bool
    ) -> Decision {
        guard case .after(let asked) = outcome.retry else { return .finish(nil) }
        if attempt >= attempts { return .finish(.attemptsUsed) }
        if repeatability == .refused { return .finish(.notReplayable) }
        if repeatability == .unproven, unproven == .never { return .finish(.unproven) }
        if let asked, asked > maxServerDelay { return .finish(.askedTooLong) }
        let chosen =
            asked.map { delay(askedFor: $0, bits: bits()) }
            ?? backoff.delay(before: attempt - 1, after: previous, bits: bits())
        if let remaining = remaining(), chosen >= remaining { return .finish(.deadline) }
        hasPaid = !outcome.hasLoadedNoService
        if hasPaid, !withdraw() { return .finish(.budget) }
        if asked == nil { previous = chosen }
        attempt += 1
        return .retry(after: chosen)
    }

    /// The delay that the service asked for, at least the backoff's first step, and up to a tenth more.
    private func delay(askedFor asked: Duration, bits: UInt64) -> Duration {
        let least = max(asked, backoff.firstStep)
        return least + .uniform(upTo: least / 10, bits: bits)
    }
}

extension Outcome {
    /// Whether the call ended before the service had work by it.
    fileprivate var hasLoadedNoService: Bool {
        isRefusal || health == .unknown && fault == .network
    }
}
