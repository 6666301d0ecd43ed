import PledgeFutures

/// A budget of retries and hedges, so that they cannot multiply the load of a failing service.
///
/// ```swift
/// let budget = RetryBudget()
/// let api = stack(.retry(sharing: budget), over: transport)
/// ```
///
/// A bucket of tokens, full at first. A retry takes one, and puts it back if it succeeds; a call that
/// succeeds without a retry adds a fifth of one. A service that works has all the retries that it needs, and
/// one that is down gets as many as the capacity from each budget, and no more. No time passes in it: an
/// outage of an hour costs as much as one of a second.
///
/// Make one for each service, and pass it to every stack that calls the service. It may be used from any
/// thread; each use takes a lock for constant time. (The retry quota of the AWS SDKs, whose capacity is 100
/// of these.)
public final class RetryBudget {
    /// Notes a call that has succeeded without a retry, which allows a share of one.
    public func deposit() { bucket?.withLock { $0.add() } }

    /// Takes one retry out.
    ///
    /// - Returns: False if there is none: the retry must not be made.
    public func withdraw() -> Bool { bucket?.withLock { $0.take() } ?? true }

    /// Puts back what a retry took, because it has succeeded, or was not made.
    public func refund() { refund(1) }

    func refund(_ count: Int) { bucket?.withLock { $0.putBack(count) } }

    /// Fills it, as a new one.
    public func reset() { bucket?.withLock { $0.fill() } }

    /// How many retries could be made now; `Int.max` for the unlimited one.
    public var balance: Int { bucket?.withLock { $0.balance } ?? .max }

    /// Whether it is in the same state as a new one.
    package var isIdle: Bool { bucket?.withLock { $0.isFull } ?? true }

    /// The name in the events of retries and hedges that use it; nil if it has none.
    public let name: String?

    /// The budget that allows every retry.
    ///
    /// A service that is down then gets all attempts of its callers.
    public static let unlimited = RetryBudget(nil, nil)

    /// Makes a full budget.
    ///
    /// A value outside the bounds named here is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - capacity: How many retries there are at most, and at first; 0…1,000,000. A busy client survives
    ///     short losses of all connections by more of them, up to 100; a failing service then gets as many.
    ///   - retriesPerSuccess: The part of a retry that a call adds which succeeds without one; 0…1.
    public convenience init(
        named name: String? = nil, capacity: Int = 10, retriesPerSuccess: Double = 0.2
    ) {
        precondition(
            (0...1_000_000).contains(capacity),
            "a retry budget needs a capacity in 0...1000000, not \(capacity)")
        precondition(
            (0...1).contains(retriesPerSuccess),
            "a retry budget needs retriesPerSuccess in 0...1, not \(retriesPerSuccess)")
        self.init(
            name,
            Locked(
                TokenBucket(capacity: capacity, share: retriesPerSuccess, initial: capacity)))
    }

    /// Nil if every retry is allowed.
    private let bucket: Locked<TokenBucket>?

    private init(_ name: String?, _ bucket: Locked<TokenBucket>?) {
        self.name = name
        self.bucket = bucket
    }
}

extension RetryBudget: Sendable {}
