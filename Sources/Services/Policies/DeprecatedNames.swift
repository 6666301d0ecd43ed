public import PledgeFutures

// Names of the previous version, which the next version removes.

extension Middleware {
    /// The old name of ``circuitBreaker(sharing:classifier:)``.
    @available(*, deprecated, renamed: "circuitBreaker(sharing:classifier:)")
    public static func circuitBreaker(
        _ breaker: CircuitBreaker, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        .circuitBreaker(sharing: breaker, classifier: classifier)
    }

    /// The old name of ``bulkhead(sharing:)``.
    @available(*, deprecated, renamed: "bulkhead(sharing:)")
    public static func bulkhead(_ bulkhead: Bulkhead) -> Middleware { .bulkhead(sharing: bulkhead) }

    /// The old name of ``rateLimit(sharing:)``.
    @available(*, deprecated, renamed: "rateLimit(sharing:)")
    public static func rateLimit(_ limiter: RateLimiter) -> Middleware {
        .rateLimit(sharing: limiter)
    }

    /// The old name of
    /// ``retry(attempts:backoff:sharing:maxServerDelay:unproven:classifier:on:random:)``.
    @available(*, deprecated, message: "the budget's label is sharing")
    public static func retry(
        attempts: Int = 3, backoff: Backoff = .fullJitter(), budget: RetryBudget?,
        maxServerDelay: Duration = .seconds(10), unproven: UnprovenRetries = .allowed,
        classifier: Classifier<Output> = .standard, on scheduler: some Scheduler = .live,
        random: RandomSource = .system
    ) -> Middleware {
        .retry(
            attempts: attempts, backoff: backoff, sharing: budget, maxServerDelay: maxServerDelay,
            unproven: unproven, classifier: classifier, on: scheduler, random: random)
    }

    /// The old name of ``hedge(attempts:maxExtraLoad:sharing:classifier:on:)``.
    @available(*, deprecated, message: "the budget's label is sharing")
    public static func hedge(
        attempts: Int = 2, maxExtraLoad: Double = 0.01, budget: RetryBudget?,
        classifier: Classifier<Output> = .standard, on scheduler: some Scheduler = .live
    ) -> Middleware {
        .hedge(
            attempts: attempts, maxExtraLoad: maxExtraLoad, sharing: budget,
            classifier: classifier, on: scheduler)
    }

    /// The old name of ``hedge(after:attempts:maxExtraLoad:sharing:classifier:on:)``.
    @available(*, deprecated, message: "the budget's label is sharing")
    public static func hedge(
        after delay: Duration, attempts: Int = 2, maxExtraLoad: Double = 0.01,
        budget: RetryBudget?, classifier: Classifier<Output> = .standard,
        on scheduler: some Scheduler = .live
    ) -> Middleware {
        .hedge(
            after: delay, attempts: attempts, maxExtraLoad: maxExtraLoad, sharing: budget,
            classifier: classifier, on: scheduler)
    }

    /// The old form of ``hedge(sharing:attempts:classifier:)``.
    @available(*, deprecated, message: "give the budget to the Hedging, by its label sharing")
    public static func hedge(
        sharing hedging: Hedging, attempts: Int = 2, budget: RetryBudget?,
        classifier: Classifier<Output> = .standard
    ) -> Middleware {
        .hedge(
            sharing: Hedging(hedging, sharing: budget), attempts: attempts, classifier: classifier)
    }

    /// The old name of ``chaos(_:sharing:on:random:)``.
    @available(*, deprecated, message: "the switch's label is sharing")
    public static func chaos(
        _ faults: ChaosFault<Output>..., by chaosSwitch: ChaosSwitch?,
        on scheduler: some Scheduler = .live, random: RandomSource = .system
    ) -> Middleware {
        .chaos(faults, sharing: chaosSwitch, on: scheduler, random: random)
    }

    /// The old name of ``coalesce(by:sharing:)-((Input)->Key,_)``.
    @available(*, deprecated, renamed: "coalesce(by:sharing:)")
    public static func coalesce<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key, in group: Coalescer<Key, Output>?
    ) -> Middleware {
        .coalesce(by: key, sharing: group)
    }

    /// The old name of ``coalesce(by:sharing:)-(CoalescingKey<Input,Output,Key>,_)``.
    @available(*, deprecated, renamed: "coalesce(by:sharing:)")
    public static func coalesce<Key: Hashable & Sendable>(
        by key: CoalescingKey<Input, Output, Key>, in group: Coalescer<Key, Output>?
    ) -> Middleware {
        .coalesce(by: key, sharing: group)
    }

    /// The old name of ``memoise(by:sharing:classifier:)``.
    @available(*, deprecated, renamed: "memoise(by:sharing:classifier:)")
    public static func memoise<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key, in memo: Memo<Key, Output>,
        classifier: Classifier<Output> = .standard
    ) -> Middleware {
        .memoise(by: key, sharing: memo, classifier: classifier)
    }
}

extension Middleware where Input: Hashable {
    /// The old name of ``coalesce(sharing:)``.
    @available(*, deprecated, renamed: "coalesce(sharing:)")
    public static func coalesce(in group: Coalescer<Input, Output>?) -> Middleware {
        .coalesce(sharing: group)
    }

    /// The old name of ``memoise(sharing:classifier:)``.
    @available(*, deprecated, renamed: "memoise(sharing:classifier:)")
    public static func memoise(
        in memo: Memo<Input, Output>, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        .memoise(sharing: memo, classifier: classifier)
    }
}

extension CallRecord {
    /// The old name of ``willSend(replayable:)``.
    @available(*, deprecated, renamed: "willSend(replayable:)")
    public func begin(replayable isReplayable: Bool) throws(Superseded) -> Mark {
        try willSend(replayable: isReplayable)
    }
}
