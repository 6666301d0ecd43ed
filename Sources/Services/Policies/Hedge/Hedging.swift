public import Futures

/// The shared state of the hedges of one service: their delay and their budget.
///
/// ```swift
/// let hedging = Hedging(maxExtraLoad: 0.02)
/// let list = stack(.hedge(sharing: hedging), over: loadProduct)
/// let detail = stack(.hedge(sharing: hedging), .timeout(.seconds(2)), over: loadProduct)
/// ```
///
/// ``Middleware/hedge(attempts:maxExtraLoad:sharing:classifier:on:)`` makes one for each service; make one
/// yourself if several stacks call the same service. It may be used from any thread; each use takes a lock
/// for constant time.
///
/// Its own budget is like a ``RetryBudget`` of 10 seconds with 10 hedges a second besides the extra load;
/// with an extra load of 0 it allows none. (Finagle's BackupRequestFilter.)
public final class Hedging {
    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// How long a call is under way before it is hedged; nil while that is not known.
    public var delay: Duration? {
        guard let latencies else { return fixed }
        let now = scheduler.now
        return latencies.withLock { $0.delay(at: now) }
    }

    /// Hedges after the latency that a call seldom exceeds: the percentile 1 − maxExtraLoad, at least
    /// 1 millisecond.
    ///
    /// It is measured over the last 20 to 30 seconds, in whole milliseconds, rounded up, and computed again
    /// every 3 seconds. It is not known before 1 ÷ maxExtraLoad calls, and at least 10, have been measured,
    /// and not if it is more than 65 seconds.
    ///
    /// - Parameters:
    ///   - name: The name in its events; nil for that of the budget. It must hold no secrets.
    ///   - maxExtraLoad: The share of further calls that the service may get: 0…1,
    ///     otherwise it is a programming error and traps.
    ///   - budget: A further budget of hedges, shared with retries.
    ///   - scheduler: The clock.
    public convenience init(
        named name: String? = nil, maxExtraLoad: Double = 0.01, sharing budget: RetryBudget? = nil,
        on scheduler: some Scheduler = .live
    ) {
        self.init(name, nil, maxExtraLoad, budget, scheduler)
    }

    /// Hedges after a fixed delay.
    ///
    /// - Parameters:
    ///   - name: The name in its events; nil for that of the budget. It must hold no secrets.
    ///   - delay: How long a call is under way before. Less than zero is a programming error and traps.
    ///   - maxExtraLoad: The share of further calls that the service may get: 0…1,
    ///     otherwise it is a programming error and traps.
    ///   - budget: A further budget of hedges, shared with retries.
    ///   - scheduler: The clock.
    public convenience init(
        named name: String? = nil, after delay: Duration, maxExtraLoad: Double = 0.01,
        sharing budget: RetryBudget? = nil, on scheduler: some Scheduler = .live
    ) {
        precondition(delay >= .zero, "hedge needs a delay of zero or more, not \(delay)")
        self.init(name, delay, maxExtraLoad, budget, scheduler)
    }

    private init(
        _ name: String?, _ fixed: Duration?, _ maxExtraLoad: Double, _ retries: RetryBudget?,
        _ scheduler: any Scheduler
    ) {
        precondition(
            (0...1).contains(maxExtraLoad),
            "hedge needs maxExtraLoad in 0...1, not \(maxExtraLoad)")
        self.name = name ?? retries?.name
        self.retries = retries
        self.fixed = fixed
        self.scheduler = scheduler
        latencies = fixed == nil ? Locked(LatencyWindow(share: maxExtraLoad)) : nil
        budget = Locked(
            RetryBudgetBucket(
                ttl: .seconds(10), minRetries: maxExtraLoad == 0 ? 0 : 100,
                percentCanRetry: maxExtraLoad))
    }

    /// The same hedging, with another budget of retries.
    init(_ other: Hedging, sharing budget: RetryBudget?) {
        name = other.name ?? budget?.name
        retries = budget
        fixed = other.fixed
        scheduler = other.scheduler
        latencies = other.latencies
        self.budget = other.budget
    }

    let scheduler: any Scheduler
    private let budget: Locked<RetryBudgetBucket>
    /// The budget that retries use as well.
    private let retries: RetryBudget?
    private let fixed: Duration?
    /// Nil if the delay is fixed.
    private let latencies: Locked<LatencyWindow>?
}

extension Hedging {
    /// Notes a call that begins, which allows a share of a hedge.
    ///
    /// - Returns: When it begins.
    func deposit() -> SchedulerInstant {
        let now = scheduler.now
        budget.withLock { $0.deposit(at: now) }
        return now
    }

    /// Takes one hedge out.
    ///
    /// If the second budget refuses, the first has lost one hedge; it is by far the smaller of the two, and
    /// refills.
    func withdraw() -> Bool {
        let now = scheduler.now
        return budget.withLock { $0.withdraw(at: now) } && retries?.withdraw() ?? true
    }

    /// Whether latencies are recorded.
    var observes: Bool { latencies != nil }

    /// Records the latency of a call that began at an instant.
    func record(since start: SchedulerInstant) {
        guard let latencies else { return }
        let now = scheduler.now
        latencies.withLock { $0.add(start.duration(to: now), at: now) }
    }

    /// Records the latency of a call, unless it failed early: that would make the service look fast.
    func record<Output>(
        _ result: Result<Output, any Error>, _ assessment: CallAssessment,
        since start: SchedulerInstant
    ) {
        if assessment.health == .healthy || result.isOutOfTime { record(since: start) }
    }
}

extension Result where Failure == any Error {
    /// Whether a policy beneath gave up because the time was over.
    fileprivate var isOutOfTime: Bool {
        guard case .failure(let error as ServiceError) = self else { return false }
        return error.code == .timedOut || error.code == .deadlineExceeded
    }
}

extension Hedging: Sendable {}
