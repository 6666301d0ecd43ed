import PledgeFutures

/// The state of one call's retry, and its decision at the end of each attempt.
///
/// An attempt is in flight. At its end, the decision is `finish`, or it is `retry` and another attempt follows.
struct RetryMachine: Sendable {
    enum Decision: Equatable {
        /// The result is final; if another attempt might have succeeded, the reason says why there is none.
        case finish(RetryRefusal?)
        /// Another attempt follows after a delay.
        case retry(after: Duration)
    }

    /// The effect of an attempt's end on the budget.
    enum BudgetChange {
        /// The call succeeded without a retry.
        case deposit
        /// A retry succeeded or wasn't sent, so its token is returned.
        case refund
    }

    let settings: Retry

    /// The number of the attempt in flight, counted from one.
    private(set) var attempt = 1
    /// True if the attempt in flight has taken a token from the budget.
    private(set) var hasPaid = false
    /// The last delay that the backoff chose.
    private var previous: Duration?

    init(_ settings: Retry) {
        precondition(
            settings.attempts >= 1, "retry needs at least 1 attempt, not \(settings.attempts)")
        precondition(
            settings.maxServerDelay >= .zero,
            "retry needs a maxServerDelay of zero or more, not \(settings.maxServerDelay)")
        self.settings = settings
    }

    /// Returns the effect on the budget when the attempt in flight ends; nil for none.
    ///
    /// An answer from a healthy service counts as a success, even if it says that the request is wrong. A cancelled
    /// attempt doesn't return its token. If it did, calls whose retries are always cancelled by a timeout outside could
    /// retry without limit.
    func budgetChange(after outcome: Outcome) -> BudgetChange? {
        switch outcome.health {
        case .healthy: attempt == 1 ? .deposit : hasPaid ? .refund : nil
        case .unhealthy: nil
        case .unknown: hasPaid && outcome.hasLoadedNoService ? .refund : nil
        }
    }

    /// Ends the attempt in flight.
    ///
    /// The checks stop at the first condition that rules out another attempt. The budget comes last, so that no token
    /// is taken for a retry that isn't made. A retry is free if the network or a policy in this process kept the
    /// attempt from reaching the service.
    ///
    /// - Parameter isPaidByAnother: True if another attempt's retry pays for this one too: both ran out of time on one
    ///   connection, which had answered before and went silent, so they show one fault.
    mutating func endAttempt(
        with outcome: Outcome, _ repeatability: Repeatability,
        remaining: @autoclosure () -> Duration?, bits: @autoclosure () -> UInt64,
        isPaidByAnother: @autoclosure () -> Bool = false, withdraw: @autoclosure () -> Bool
    ) -> Decision {
        guard case .after(let asked) = outcome.retry else { return .finish(nil) }
        if attempt >= settings.attempts { return .finish(.attemptsUsed) }
        if repeatability == .refused { return .finish(.notReplayable) }
        if repeatability == .unproven, settings.unproven == .never { return .finish(.unproven) }
        if let asked, asked > settings.maxServerDelay { return .finish(.askedTooLong) }
        let chosen =
            asked.map { delay(askedFor: $0, bits: bits()) }
            ?? settings.backoff.delay(before: attempt - 1, after: previous, bits: bits())
        if let remaining = remaining(), chosen >= remaining { return .finish(.deadline) }
        hasPaid = !outcome.hasLoadedNoService && !isPaidByAnother()
        if hasPaid, !withdraw() { return .finish(.budget) }
        if asked == nil { previous = chosen }
        attempt += 1
        return .retry(after: chosen)
    }

    /// Returns the delay that the service asked for, at least the backoff's first step, plus up to a tenth.
    private func delay(askedFor asked: Duration, bits: UInt64) -> Duration {
        let least = max(asked, settings.backoff.firstStep)
        return least + .uniform(upTo: least / 10, bits: bits)
    }
}

extension Outcome {
    /// True if the call ended before it caused the service any work.
    fileprivate var hasLoadedNoService: Bool {
        isRefusal || health == .unknown && fault == .network
    }
}
