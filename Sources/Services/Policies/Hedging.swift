public import PledgeFutures

/// The shared state of all hedges for one service: their delay and their budget.
///
/// ```swift
/// let hedging = Hedging(maxExtraLoad: 0.02)
/// let list = stack(.hedge(sharing: hedging), over: loadProduct)
/// let detail = stack(.hedge(sharing: hedging), .timeout(.seconds(2)), over: loadProduct)
/// ```
///
/// ``Middleware/hedge(attempts:maxExtraLoad:sharing:classifier:on:)`` creates one for each service it wraps. Create one
/// yourself if several stacks call the same service. You can use it from any thread; each use takes a lock for constant
/// time.
///
/// Each call adds `maxExtraLoad` of a hedge to the budget when it starts. The budget then keeps at most ten hedges, or
/// as many as this call and the calls in flight have added, if that is more; the rest is lost. With 0.02, a thousand
/// calls that start at once have twenty hedges, even after most of them have ended; the next call cuts the budget to
/// ten. A new budget holds what ten calls add, rounded up to a whole hedge. So, however fast calls come, n calls get at
/// most (n + 10) × `maxExtraLoad` hedges, or one more. With a `maxExtraLoad` of 0, they get none. A call counts as in
/// flight from the moment its service returns a future until that future settles or is cancelled. A client that makes
/// few calls needs a larger share than the default. (Finagle's BackupRequestFilter, without its minimum of ten hedges a
/// second.)
public final class Hedging: Sendable {
    /// The name in events and errors; nil for none.
    public let name: String?

    /// The time that a call is in flight before it is hedged; nil while it isn't known.
    public var delay: Duration? {
        guard let latencies else { return fixed }
        let now = scheduler.now
        return latencies.withLock { $0.delay(at: now) }
    }

    /// Creates a hedging whose delay is a latency that calls seldom exceed.
    ///
    /// The delay is the percentile 1 − `maxExtraLoad` of the latencies, at least 1 millisecond. It is measured over the
    /// last 20 to 30 seconds, in whole milliseconds, rounded up, and computed again every 3 seconds. It is unknown
    /// until at least 10 calls, and at least 1 ÷ `maxExtraLoad` calls, have been measured in that time. It is also
    /// unknown while it is above 65 seconds.
    ///
    /// - Parameters:
    ///   - name: The name in events; with nil, the budget's name. It must hold no secrets.
    ///   - maxExtraLoad: The share of extra calls that the service may get; 0…1. A value out of range is a programming
    ///     error and traps.
    ///   - budget: A second budget for the hedges, which they share with the service's retries. The retries fill this
    ///     budget with each call that succeeds, and a hedged call that succeeds puts back what its hedges took.
    ///   - scheduler: The clock.
    public convenience init(
        named name: String? = nil, maxExtraLoad: Double = 0.01, sharing budget: RetryBudget? = nil,
        on scheduler: some FutureScheduler = .live
    ) {
        self.init(name, nil, maxExtraLoad, budget, scheduler)
    }

    /// Creates a hedging with a fixed delay.
    ///
    /// - Parameters:
    ///   - name: The name in events; with nil, the budget's name. It must hold no secrets.
    ///   - delay: The time that a call is in flight before it is hedged. Less than zero is a programming error and
    ///     traps.
    ///   - maxExtraLoad: The share of extra calls that the service may get; 0…1. A value out of range is a programming
    ///     error and traps.
    ///   - budget: A second budget for the hedges, which they share with the service's retries. The retries fill this
    ///     budget with each call that succeeds, and a hedged call that succeeds puts back what its hedges took.
    ///   - scheduler: The clock.
    public convenience init(
        named name: String? = nil, after delay: Duration, maxExtraLoad: Double = 0.01,
        sharing budget: RetryBudget? = nil, on scheduler: some FutureScheduler = .live
    ) {
        precondition(delay >= .zero, "hedge needs a delay of zero or more, not \(delay)")
        self.init(name, delay, maxExtraLoad, budget, scheduler)
    }

    private init(
        _ name: String?, _ fixed: Duration?, _ maxExtraLoad: Double, _ retries: RetryBudget?,
        _ scheduler: any FutureScheduler
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

    /// Creates a hedging that shares another hedging's state, but has its own retry budget.
    init(_ other: Hedging, sharing budget: RetryBudget?) {
        name = other.name ?? budget?.name
        retries = budget
        fixed = other.fixed
        scheduler = other.scheduler
        latencies = other.latencies
        self.budget = other.budget
    }

    let scheduler: any FutureScheduler
    private let budget: Locked<HedgeBudget>
    /// The budget that the hedges share with the retries.
    private let retries: RetryBudget?
    private let fixed: Duration?
    /// The measured latencies; nil if the delay is fixed.
    private let latencies: Locked<LatencyWindow>?
}

extension Hedging {
    /// Adds a starting call's share to the budget.
    ///
    /// - Returns: The present instant.
    func deposit() -> SchedulerInstant {
        budget.withLock { $0.add() }
        return scheduler.now
    }

    /// Counts a call as in flight, because it didn't end at once; ``end()`` must follow once.
    func begin() { budget.withLock { $0.begin() } }

    /// Reports that a counted call has ended.
    func end() { budget.withLock { $0.end() } }

    /// Takes one hedge out of both budgets.
    func withdraw() -> Bool {
        guard budget.withLock({ $0.take() }) else { return false }
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

    /// Records the latency of a call that began at an instant.
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
    mutating func begin() { underWay += 1 }

    /// Reports that a counted call has ended.
    mutating func end() { underWay -= 1 }

    /// Takes one hedge, if there is one.
    mutating func take() -> Bool { bucket.take() }

    /// Puts back a hedge that wasn't made.
    mutating func putBack() { bucket.putBack() }

    /// The number of whole hedges left.
    var balance: Int { bucket.balance }
}

/// The latencies in a sliding window, and the latency above which a call is among the slowest.
///
/// It has three histograms of 10 seconds each, at multiples of 10 seconds from the scheduler's origin, so a latency
/// counts for 20 to 30 seconds. When the percentile is read and is more than 3 seconds old, it is computed again.
/// (Finagle's BackupRequestFilter, WindowedPercentileHistogram.)
struct LatencyWindow: Sendable {
    /// The share of slow calls.
    private let share: Double
    /// The required number of calls: enough that one of them is slow, and at least ten.
    let enough: Int

    private var slices: [LatencyHistogram?] = [nil, nil, nil]
    /// The number of the newest slice, counted from the scheduler's origin.
    private var newest = Int64.min
    private var refreshed: SchedulerInstant?
    private var delay: Duration?

    private static let width: Int64 = 10_000_000_000
    private static let freshness = Duration.seconds(3)

    /// Creates a window without latencies.
    ///
    /// - Parameter share: The share of slow calls; 0…1. With 0, no number of calls is enough.
    init(share: Double) {
        self.share = share
        enough = share < 1e-9 ? .max : max(10, Int((1 / share - 1e-9).rounded(.up)))
    }

    /// Adds the latency of a call.
    mutating func add(_ latency: Duration, at instant: SchedulerInstant) {
        turn(to: instant)
        slices[Int(newest.modulo(3))]?.add(latency)
    }

    /// Returns the latency that at most `share` of the calls exceed; at least 1 millisecond.
    ///
    /// Nil while there are too few calls, or if the latency is longer than a histogram covers.
    mutating func delay(at instant: SchedulerInstant) -> Duration? {
        if let refreshed, refreshed.duration(to: instant) < Self.freshness { return delay }
        turn(to: instant)
        refreshed = instant
        delay = percentile().map { .milliseconds(max(1, $0)) }
        return delay
    }

    /// Returns the shortest latency, in milliseconds, that at most `share` of the calls exceed.
    private func percentile() -> Int? {
        let known = slices.compactMap(\.self)
        let total = known.reduce(0) { $0 + $1.total }
        guard total >= enough else { return nil }
        // Without the small addend, rounding errors would matter: 0.29 × 100 is less than 29.
        let rank = max(1, total - Int(share * Double(total) + 1e-9))
        var sum = 0
        for index in 0..<LatencyHistogram.size {
            for slice in known { sum += Int(slice.counts[index]) }
            if sum >= rank { return LatencyHistogram.longest(at: index) }
        }
        return nil
    }

    /// Empties the histograms that have expired.
    ///
    /// A late thread may call this with an instant before the newest slice. Such an instant counts as part of the
    /// newest slice.
    private mutating func turn(to instant: SchedulerInstant) {
        let nanoseconds = instant.offset.nanoseconds
        let slice = (nanoseconds - nanoseconds.modulo(Self.width)) / Self.width
        guard slice > newest else { return }
        let first = newest == .min ? slice : max(newest + 1, slice - 2)
        for expired in first...slice { slices[Int(expired.modulo(3))]?.clear() }
        let index = Int(slice.modulo(3))
        if slices[index] == nil { slices[index] = LatencyHistogram() }
        newest = slice
    }
}

extension Int64 {
    /// Returns the remainder that is never negative.
    fileprivate func modulo(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}

/// A count of calls for each latency in milliseconds.
///
/// It has a fixed number of counters: one for each millisecond up to 1,023, then 512 for each doubling up to 65,535,
/// and one for all longer latencies. The error is at most 0.2 %. (The layout of Gil Tene's HdrHistogram.)
struct LatencyHistogram: Sendable {
    /// The number of counters.
    static let size = 1_024 + 6 * 512 + 1

    private(set) var counts = Array(repeating: UInt32(0), count: size)
    private(set) var total = 0

    /// Counts one latency, rounded up to whole milliseconds.
    mutating func add(_ latency: Duration) {
        let nanoseconds = max(0, latency.nanoseconds)
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        counts[Self.index(of: Int(clamping: quotient + (remainder > 0 ? 1 : 0)))] &+= 1
        total += 1
    }

    /// Empties all counters.
    mutating func clear() {
        guard total > 0 else { return }
        for index in counts.indices { counts[index] = 0 }
        total = 0
    }

    /// Returns the index of the counter for a number of milliseconds.
    static func index(of milliseconds: Int) -> Int {
        guard milliseconds >= 1_024 else { return milliseconds }
        guard milliseconds < 65_536 else { return size - 1 }
        let doubling = Int.bitWidth - milliseconds.leadingZeroBitCount - 11
        // The latency in units of 2, 4, 8 … milliseconds: a number from 512 to 1,023.
        let part = milliseconds >> (doubling + 1)
        return 1_024 + doubling * 512 + part - 512
    }

    /// Returns the highest number of milliseconds that a counter covers; nil for the last counter.
    static func longest(at index: Int) -> Int? {
        guard index >= 1_024 else { return index }
        guard index < size - 1 else { return nil }
        let (doubling, part) = (index - 1_024).quotientAndRemainder(dividingBy: 512)
        return ((part + 513) << (doubling + 1)) - 1
    }
}
