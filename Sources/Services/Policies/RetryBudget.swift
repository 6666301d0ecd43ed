package import PledgeFutures
import Synchronization

/// A budget for retries and hedges, so that they can't multiply the load on a failing service.
///
/// ```swift
/// let budget = RetryBudget()
/// let api = stack(.retry(budget: budget), over: transport)
/// ```
///
/// It is a bucket of tokens, full at first. A retry takes a token, and puts it back if it succeeds. A call that
/// succeeds without a retry adds a fifth of a token. So a service that works gets all the retries it needs, and a
/// service that is down gets at most `capacity` retries from each budget. Time doesn't refill it: an outage of an hour
/// costs as many retries as one of a second.
///
/// Create one for each service, and pass it to every stack that calls the service. You can use it from any thread; each
/// use takes a lock for constant time. (The retry quota of the AWS SDKs, whose capacity is 100 retries.)
///
/// The product PledgeTraffic has a budget whose bucket is in a store, from which several machines draw.
public final class RetryBudget: Sendable {
    /// Adds a share of a retry, for a call that succeeded without a retry.
    package func deposit() {
        // A full bucket takes no deposit, so a service without failures needs no lock.
        if shared == nil, isFull.load(ordering: .relaxed) { return }
        change { $0.add() }
        shared?.deposit()
    }

    /// Takes a retry out.
    ///
    /// - Returns: False if there is none left; then the retry must not be made.
    package func withdraw() -> Bool {
        if bucket == nil { return true }
        if let shared, shared.isRefusing {
            // If there are only hedges, nobody else asks whether the store works again.
            shared.change(by: 0)
            return false
        }
        guard change({ $0.takeToken() }) ?? true else { return false }
        shared?.change(by: -1)
        return true
    }

    /// Puts back what a retry took, because the retry succeeded or wasn't made.
    package func refund() { refund(1) }

    func refund(_ count: Int) {
        change { $0.putBack(count) }
        if count > 0 { shared?.change(by: count) }
    }

    /// Fills the budget.
    public func reset() {
        change { $0.fill() }
        shared?.fill()
    }

    /// The number of retries that could be made now, as far as this process knows; `Int.max` for ``unlimited``.
    ///
    /// If the budget is in a store, this is the number in the store's last answer, plus what this process has put in
    /// since, minus what it has taken out; before the first answer, it is the capacity.
    public var balance: Int { bucket?.withLock { $0.balance } ?? .max }

    /// True if the budget is in the same state as a new one, or if its state is in a store.
    package var isIdle: Bool { shared != nil || bucket?.withLock { $0.isFull } ?? true }

    /// Returns whether the budget has the limits of another one, and both are this process's own.
    package func hasLimits(of other: RetryBudget) -> Bool {
        guard shared == nil, other.shared == nil else { return false }
        return bucket?.withLock { $0.limits } == other.bucket?.withLock { $0.limits }
    }

    /// The name in the events of retries and hedges that use the budget; nil for none.
    package let name: String?

    /// A budget that allows every retry.
    ///
    /// With it, a service that is down gets all attempts of its callers.
    public static let unlimited = RetryBudget(nil, nil, nil)

    /// Creates a full budget.
    ///
    /// A value outside the bounds below is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - capacity: The maximum number of retries, and the first balance; 0…1,000,000. With a higher capacity, such as
    ///     100, a busy client survives short losses of all its connections. But a failing service then gets up to
    ///     `capacity` retries.
    ///   - retriesPerSuccess: The share of a retry that each call adds if it succeeds without a retry; 0…1.
    public convenience init(
        named name: String? = nil, capacity: Int = 10, retriesPerSuccess: Double = 0.2
    ) {
        self.init(
            named: name, capacity: capacity, retriesPerSuccess: retriesPerSuccess, sharedBy: nil)
    }

    /// Creates a full budget with its own bucket, or with a bucket that several machines share.
    ///
    /// - Parameter makeShared: Creates the shared bucket. It gets the budget's name, a full bucket, which holds the last
    ///   known tokens, and an empty one for this process's deposits.
    package convenience init(
        named name: String?, capacity: Int, retriesPerSuccess: Double,
        sharedBy makeShared: (
            @Sendable (
                _ name: String?, _ known: Locked<TokenBucket>, _ pending: TokenBucket
            ) -> any SharedRetries
        )?
    ) {
        precondition(
            (0...1_000_000).contains(capacity),
            "a retry budget needs a capacity in 0...1000000, not \(capacity)")
        precondition(
            (0...1).contains(retriesPerSuccess),
            "a retry budget needs retriesPerSuccess in 0...1, not \(retriesPerSuccess)")
        let bucket = Locked(
            TokenBucket(capacity: capacity, share: retriesPerSuccess, initial: capacity))
        let pending = TokenBucket(capacity: capacity, share: retriesPerSuccess, initial: 0)
        self.init(name, bucket, makeShared?(name, bucket, pending)) { name in
            RetryBudget(
                named: name, capacity: capacity, retriesPerSuccess: retriesPerSuccess,
                sharedBy: makeShared)
        }
    }

    package func renewed(in place: PolicyPlace) -> RetryBudget {
        renew?(name ?? place.name) ?? self
    }

    /// The tokens; nil if every retry is allowed.
    ///
    /// If the budget is in a store, these are the last known ones.
    private let bucket: Locked<TokenBucket>?
    /// True if this process's own bucket is full; written under the bucket's lock.
    ///
    /// Relaxed: a deposit that reads true has come before the withdrawal that takes the bucket's first token.
    private let isFull = Atomic(false)
    /// The bucket in a store; nil if the budget is this process's own.
    let shared: (any SharedRetries)?

    /// Creates a budget like this one; nil for one that has no limits, and so no state.
    private let renew: (@Sendable (String) -> RetryBudget)?

    /// Changes the bucket; nil if there is none.
    @discardableResult
    private func change<Output>(_ change: (inout TokenBucket) -> Output) -> Output? {
        bucket?.withLock { bucket in
            defer { isFull.store(bucket.isFull, ordering: .relaxed) }
            return change(&bucket)
        }
    }

    private init(
        _ name: String?, _ bucket: Locked<TokenBucket>?, _ shared: (any SharedRetries)?,
        _ renew: (@Sendable (String) -> RetryBudget)? = nil
    ) {
        self.name = name
        self.bucket = bucket
        self.shared = shared
        self.renew = renew
    }
}

/// A retry budget's bucket that several machines share.
package protocol SharedRetries: Sendable {
    /// Asks for a retry; the future doesn't reject.
    func withdraw(in context: CallContext) -> Future<Bool>

    /// True if no retry may be made now.
    var isRefusing: Bool { get }

    /// Adds a share of a retry.
    func deposit()

    /// Puts retries in or takes them out, in the background.
    func change(by count: Int)

    /// Fills the bucket, in the background.
    func fill()
}

/// A bucket of tokens: calls add a part of a token, and extra calls take one.
///
/// It counts in integers, to avoid rounding errors: a token has a million parts, and shares are rounded to whole parts.
package struct TokenBucket: Sendable {
    private static let token: Int64 = 1_000_000

    private var parts: Int64
    private var capacity: Int64
    private let leastCapacity: Int64
    /// The parts that one deposit adds.
    private let deposit: Int64

    /// - Parameters:
    ///   - capacity: The maximum number of tokens, until the bucket is resized; 0…1,000,000.
    ///   - share: The part of a token that a deposit adds; 0…1.
    ///   - initial: The first number of tokens; at most the capacity.
    init(capacity: Int, share: Double, initial: Int) {
        leastCapacity = Int64(capacity) * Self.token
        self.capacity = leastCapacity
        deposit = Int64((share * Double(Self.token)).rounded())
        parts = Int64(initial) * Self.token
    }

    /// Sets the capacity to what a number of deposits adds, or to the initial capacity if that is more.
    ///
    /// Tokens above the capacity are lost.
    mutating func resize(toHold deposits: Int) {
        capacity = max(leastCapacity, Int64(deposits) * deposit)
        parts = min(parts, capacity)
    }

    /// Adds a part of a token.
    package mutating func add() { parts = min(capacity, parts + deposit) }

    package mutating func takeToken() -> Bool {
        guard parts >= Self.token else { return false }
        parts -= Self.token
        return true
    }

    mutating func putBack(_ count: Int = 1) {
        parts = min(capacity, parts + Int64(count) * Self.token)
    }

    mutating func fill() { parts = capacity }

    package mutating func set(_ tokens: Double) {
        parts = min(capacity, Int64(max(0, min(tokens, 1e6)) * Double(Self.token)))
    }

    package mutating func takeAll() -> Int {
        let all = balance
        parts -= Int64(all) * Self.token
        return all
    }

    /// The initial capacity, and the parts that one deposit adds.
    var limits: [Int64] { [leastCapacity, deposit] }

    var isFull: Bool { parts == capacity }

    /// The number of whole tokens.
    package var balance: Int { Int(parts / Self.token) }
}
