public import Futures

/// A budget of retries and hedges, so that they cannot multiply the load of a failing service.
///
/// ```swift
/// let budget = RetryBudget()
/// let api = stack(.retry(sharing: budget), over: transport)
/// ```
///
/// A token bucket over a sliding window: each request deposits, each retry withdraws. Make one for each
/// service, and pass it to every stack that calls the service. It may be used from any thread; each use takes
/// a lock for constant time. (Finagle's RetryBudget; Tower's TpsBudget.)
public final class RetryBudget {
    /// Notes a request, which allows a share of a retry.
    ///
    /// Retry calls it once for each call.
    public func deposit() {
        guard let bucket else { return }
        let now = scheduler.now
        bucket.withLock { $0.deposit(at: now) }
    }

    /// Takes one retry out.
    ///
    /// - Returns: False if there is none: the retry must not be made.
    public func withdraw() -> Bool {
        guard let bucket else { return true }
        let now = scheduler.now
        return bucket.withLock { $0.withdraw(at: now) }
    }

    /// How many retries could be made now; `Int.max` for the unlimited one.
    public var balance: Int {
        guard let bucket else { return .max }
        let now = scheduler.now
        return bucket.withLock { $0.balance(at: now) }
    }

    /// The name in the events of retries and hedges that use it; nil if it has none.
    public let name: String?

    /// The budget that allows every retry.
    ///
    /// A service that is down then gets all attempts of its callers.
    public static let unlimited = RetryBudget(nil, nil, LiveScheduler.live)

    /// Makes a budget.
    ///
    /// A value outside the bounds named here is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - ttl: How long a deposit, and a withdrawal, counts: the length of the window, which moves by a
    ///     tenth at a time. More than zero, and at most an hour.
    ///   - minRetries: How many retries there are in a window without any request; 0…1,000,000,000.
    ///   - percentCanRetry: The share of the requests that may be repeated in addition, 0…1.
    ///   - scheduler: The clock.
    public convenience init(
        named name: String? = nil, ttl: Duration = .seconds(60), minRetries: Int = 10,
        percentCanRetry: Double = 0.2, on scheduler: some Scheduler = .live
    ) {
        precondition(
            ttl > .zero && ttl <= .seconds(3_600),
            "a retry budget needs a ttl of more than zero and at most an hour, not \(ttl)")
        precondition(
            (0...1_000_000_000).contains(minRetries),
            "a retry budget needs minRetries in 0...1000000000, not \(minRetries)")
        precondition(
            (0...1).contains(percentCanRetry),
            "a retry budget needs percentCanRetry in 0...1, not \(percentCanRetry)")
        let bucket = RetryBudgetBucket(
            ttl: ttl, minRetries: minRetries, percentCanRetry: percentCanRetry)
        self.init(name, Locked(bucket), scheduler)
    }

    /// Makes a budget with a number of retries a second.
    ///
    /// - Parameters:
    ///   - ttl: As for ``init(named:ttl:minRetries:percentCanRetry:on:)``.
    ///   - minRetriesPerSecond: How many retries there are without any request, on average over the
    ///     window; 0…1,000,000, otherwise it is a programming error and traps.
    ///   - percentCanRetry: The share of the requests that may be repeated in addition, 0…1.
    ///   - scheduler: The clock.
    @available(*, deprecated, message: "say how many retries a window has, by minRetries")
    public convenience init(
        ttl: Duration = .seconds(10), minRetriesPerSecond: Int,
        percentCanRetry: Double = 0.2, on scheduler: some Scheduler = .live
    ) {
        precondition(
            (0...1_000_000).contains(minRetriesPerSecond),
            "a retry budget needs minRetriesPerSecond in 0...1000000, not \(minRetriesPerSecond)")
        let minRetries = Double(minRetriesPerSecond) * (ttl / .seconds(1))
        self.init(
            ttl: ttl, minRetries: Int(minRetries), percentCanRetry: percentCanRetry, on: scheduler)
    }

    /// Nil if every retry is allowed.
    private let bucket: Locked<RetryBudgetBucket>?
    private let scheduler: any Scheduler

    private init(
        _ name: String?, _ bucket: Locked<RetryBudgetBucket>?, _ scheduler: any Scheduler
    ) {
        self.name = name
        self.bucket = bucket
        self.scheduler = scheduler
    }
}

extension RetryBudget: Sendable {}
