public import PledgeFutures

extension Middleware {
    /// Makes a second call beside one that is slower than most others, and takes the first success.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// let api = stack(
    ///     .retry(budget: budget), .hedge(sharing: Hedge(budget: budget)), over: transport)
    /// ```
    ///
    /// When a call has been in flight for the hedge's `Hedge.delay`, the next one is made. A retryable failure starts
    /// the next call at once, on the thread that settled the failed one. The first success is the result, and all other
    /// calls are cancelled. The first failure that isn't retryable also ends all calls. An ignorable end counts only if
    /// no other call is in flight. If all calls fail, the last failure is the result. If the service asks for a delay
    /// while other calls are in flight, the next call waits for that delay. If no other call is in flight, no next call
    /// is made, because the waiting is left to a retry outside.
    ///
    /// A call is hedged if its `CallRecord` says that everything sent so far may be sent again. If the record is
    /// empty, the request in the failure decides, or else the input
    /// (``Replayable``). From then on, only one of the calls may send requests that must not be processed twice. In the
    /// other calls, such a request fails with ``ServiceError/Code/superseded``, which is the result only if no call has failed
    /// otherwise. Each further call draws from two budgets. The hedge's own budget limits further calls to a share of
    /// `maxExtraLoad` of all calls, plus one call. The other budget is the hedge's `budget`, which the retries fill. No
    /// call starts after the call's deadline. A further call that isn't allowed isn't made later either.
    ///
    /// Every call is made in the caller's context, the first one on the caller's thread. The future settles after the
    /// losers have been cancelled, on the thread that settled the winner. Cancelling the future cancels all calls. A
    /// call that waits in a bulkhead, a load shedder or an adaptive limit below is not made once another call has
    /// succeeded: when its turn comes, and other calls are in flight, it starts on the scheduler of that policy.
    /// ("The Tail at Scale", Dean and Barroso 2013; Finagle's BackupRequestFilter; gRPC's proposal A6.)
    ///
    /// - Parameters:
    ///   - hedge: The settings, with the delay and the budget that all stacks with this hedge share.
    ///   - classifier: Assesses the end of a call.
    public static func hedge(
        sharing hedge: Hedge = Hedge(), classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: hedgePolicy) { service in
            let hedged = HedgedService(hedge: hedge, classifier: classifier, service: service)
            return { input in hedged.call(input) }
        }
    }
}

let hedgePolicy = "hedge"

/// The hedges of one service: their settings, their delay and their budget.
///
/// ```swift
/// let hedge = Hedge(maxExtraLoad: 0.02)
/// let list = stack(.hedge(sharing: hedge), over: loadProduct)
/// let detail = stack(.hedge(sharing: hedge), .timeout(.seconds(2)), over: loadProduct)
/// ```
///
/// Create one for each service, and pass it to every stack that calls the service. You can use it from any thread; each
/// use takes a lock for constant time.
///
/// Each call adds `maxExtraLoad` of a hedge to the budget when it starts. The budget then keeps at most ten hedges, or
/// as many as this call and the calls in flight have added, if that is more; the rest is lost. With 0.02, a thousand
/// calls that start at once have twenty hedges, even after most of them have ended; the next call cuts the budget to
/// ten. A new budget holds what ten calls add, rounded up to a whole hedge. So, however fast calls come, n calls get at
/// most (n + 10) × `maxExtraLoad` hedges, or one more. With a `maxExtraLoad` of 0, they get none. A call counts as in
/// flight from the moment its service returns a future until that future settles or is cancelled. A client that makes
/// few calls needs a larger share than the default. (Finagle's BackupRequestFilter, without its minimum of ten hedges a
/// second.)
public final class Hedge: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// The time that a call is in flight before it is hedged; nil while it isn't known.
    package var delay: Duration? {
        guard let latencies else { return fixed }
        let now = scheduler.now
        return latencies.withLock { $0.delay(at: now) }
    }

    /// Creates a hedge.
    ///
    /// A measured delay is the percentile 1 − `maxExtraLoad` of the latencies, at least 1 millisecond. It is measured
    /// over the last 20 to 30 seconds, in whole milliseconds, rounded up, and computed again every 3 seconds. It is
    /// unknown until at least 10 calls, and at least 1 ÷ `maxExtraLoad` calls, have been measured in that time. It is
    /// also unknown while it is above 65 seconds. While it is unknown, only failures are hedged.
    ///
    /// A value outside the bounds below is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in events; with nil, the budget's name. It must hold no secrets.
    ///   - delay: The time that the latest call is in flight before the next one starts; zero or more. With nil, it is
    ///     the measured latency that calls seldom exceed.
    ///   - attempts: The maximum number of calls, including the first; at least one.
    ///   - maxExtraLoad: The share of extra calls that the service may get; 0…1. With 0, it gets none.
    ///   - budget: A second budget for the hedges, which they share with the service's retries. The retries fill this
    ///     budget with each call that succeeds, and a hedged call that succeeds puts back what its hedges took.
    ///   - scheduler: The clock.
    public init(
        named name: String? = nil, after delay: Duration? = nil, attempts: Int = 2,
        maxExtraLoad: Double = 0.01, budget: RetryBudget? = nil,
        on scheduler: some FutureScheduler = .live
    ) {
        precondition(
            delay ?? .zero >= .zero, "hedge needs a delay of zero or more, not \(delay ?? .zero)")
        precondition(attempts >= 1, "hedge needs at least 1 attempt, not \(attempts)")
        precondition(
            (0...1).contains(maxExtraLoad),
            "hedge needs maxExtraLoad in 0...1, not \(maxExtraLoad)")
        self.name = name ?? budget?.name
        self.attempts = attempts
        self.maxExtraLoad = maxExtraLoad
        self.scheduler = scheduler
        retries = budget
        fixed = delay
        latencies = delay == nil ? Locked(LatencyWindow(share: maxExtraLoad)) : nil
        self.budget = Locked(HedgeBudget(share: maxExtraLoad))
    }

    package func renewed(in place: PolicyPlace) -> Hedge {
        Hedge(
            named: name ?? place.name, after: fixed, attempts: attempts,
            maxExtraLoad: maxExtraLoad, budget: retries ?? place.budget,
            on: place.clock(or: scheduler))
    }

    /// Always true, because little is lost: a new hedge makes fewer second calls until it has measured latencies.
    package var isIdle: Bool { true }

    let attempts: Int
    let scheduler: any FutureScheduler
    private let maxExtraLoad: Double
    private let budget: Locked<HedgeBudget>
    /// The budget that the hedges share with the retries.
    private let retries: RetryBudget?
    private let fixed: Duration?
    /// The measured latencies; nil if the delay is fixed.
    private let latencies: Locked<LatencyWindow>?
}

extension Hedge {
    /// Adds a starting call's share to the budget.
    ///
    /// - Returns: The present instant.
    func deposit() -> SchedulerInstant {
        budget.withLock { $0.add() }
        return scheduler.now
    }

    /// Counts a call as in flight, because it didn't end at once; ``endCall()`` must follow once.
    func beginCall() { budget.withLock { $0.beginCall() } }

    func endCall() { budget.withLock { $0.endCall() } }

    /// Takes one hedge out of both budgets.
    func withdraw() -> Bool {
        guard budget.withLock({ $0.takeHedge() }) else { return false }
        if retries?.withdraw() ?? true { return true }
        budget.withLock { $0.putBack() }
        return false
    }

    /// Puts a hedge that wasn't made back into both budgets.
    func putBack() {
        budget.withLock { $0.putBack() }
        retries?.refund()
    }

    /// Puts hedges back into the budget shared with the retries, because the service works.
    func refund(_ count: Int) { retries?.refund(count) }

    func record(since start: SchedulerInstant) {
        guard let latencies else { return }
        let now = scheduler.now
        latencies.withLock { $0.add(start.duration(to: now), at: now) }
    }

    /// Records the latency of a call, except for an early failure, which would make the service look fast.
    func record<Output>(
        _ result: Result<Output, any Error>, _ outcome: Outcome,
        since start: SchedulerInstant
    ) {
        if outcome.health == .healthy || result.isOutOfTime { record(since: start) }
    }
}

extension Result where Failure == any Error {
    /// True if a policy below stopped waiting because the time was over.
    fileprivate var isOutOfTime: Bool {
        guard case .failure(let error as ServiceError) = self else { return false }
        return error.code == .timedOut || error.code == .deadlineExceeded
    }
}

/// The hedges that calls may use: each call adds a part of one, and each hedge takes one.
///
/// The budget keeps at most ten hedges, or what the calls in flight have added, if that is more. A call sets this limit
/// when it starts, but not when it ends. So hedges that the fast calls of a burst have added remain for its slow calls.
struct HedgeBudget: Sendable {
    /// The maximum number of saved hedges while few calls are in flight.
    private static let saved = 10

    private var bucket: TokenBucket
    private var underWay = 0

    /// - Parameter share: The part of a hedge that each call adds; 0…1.
    init(share: Double) {
        bucket = TokenBucket(
            capacity: Self.saved, share: share,
            initial: Int((Double(Self.saved) * share).rounded(.up)))
    }

    /// Sets the limit, and adds the share of a call that starts.
    mutating func add() {
        bucket.resize(toHold: underWay + 1)
        bucket.add()
    }

    /// Counts a call as in flight, because it didn't end at once.
    mutating func beginCall() { underWay += 1 }

    mutating func endCall() { underWay -= 1 }

    mutating func takeHedge() -> Bool { bucket.takeToken() }

    mutating func putBack() { bucket.putBack() }

    var balance: Int { bucket.balance }
}
