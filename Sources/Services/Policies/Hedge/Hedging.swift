public import PledgeFutures

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
/// Each call adds `maxExtraLoad` of a hedge when it begins. It leaves ten hedges saved at most, or what it and the calls
/// under way have added, if that is more; the rest is lost. With 0.02, a thousand calls that begin at once have twenty
/// hedges, even once most of them have ended; the next call leaves ten of these. At first there is what ten calls add,
/// rounded up to a whole hedge. So n calls have at most (n + 10) × `maxExtraLoad` hedges, or one more, at any rate; with
/// 0 they have none. A call is under way from when its service returns until it settles or is given up. A client that
/// makes few calls needs a larger share than the default. (Finagle's BackupRequestFilter, without its floor of ten hedges
/// a second.)
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
    ///   - budget: A further budget of hedges, that of the retries of this service, whose calls fill it. A call
    ///     that succeeds puts back what its hedges took.
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
    ///   - budget: A further budget of hedges, that of the retries of this service, whose calls fill it. A call
    ///     that succeeds puts back what its hedges took.
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
        budget = Locked(HedgeBudget(share: maxExtraLoad))
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
    private let budget: Locked<HedgeBudget>
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
        budget.withLock { $0.add() }
        return scheduler.now
    }

    /// Counts a call that has not ended at once; each needs one ``end()``.
    func begin() { budget.withLock { $0.begin() } }

    /// Notes that a counted call has ended.
    func end() { budget.withLock { $0.end() } }

    /// Takes one hedge out of both budgets.
    func withdraw() -> Bool {
        guard budget.withLock({ $0.take() }) else { return false }
        if retries?.withdraw() ?? true { return true }
        budget.withLock { $0.putBack() }
        return false
    }

    /// Puts back into both budgets what a hedge took that was not made.
    func putBack() {
        budget.withLock { $0.putBack() }
        retries?.refund()
    }

    /// Puts back into the budget that retries use as well what a call took, because the service works.
    func refund(_ count: Int) { retries?.refund(count) }

    /// Records the latency of a call that began at an instant.
    func record(since start: SchedulerInstant) {
        guard let latencies else { return }
        let now = scheduler.now
        latencies.withLock { $0.add(start.duration(to: now), at: now) }
    }

    /// Records the latency of a call, unless it failed early: that would make the service look fast.
    func record<Output>(
        _ result: Result<Output, any Error>, _ outcome: Outcome,
        since start: SchedulerInstant
    ) {
        if outcome.health == .healthy || result.isOutOfTime { record(since: start) }
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
