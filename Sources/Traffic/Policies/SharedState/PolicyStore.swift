public import PledgeFutures

/// A place for the state that policies of several machines share, such as Redis or a database.
///
/// A `RateLimiter`, a `RetryBudget` or a ``SharedMemo`` reaches it through a ``SharedState``. To use a server,
/// write these three methods over its client library. In tests, and for several clients in one process, use a
/// ``MemoryPolicyStore``.
///
/// Methods may be called from any thread, and must not block. Calls for one key take effect in the order in which they
/// were made, even if their futures settle later. If a future fails or takes too long, ``SharedState/Failing`` says
/// what the policy does. A future may settle on any thread; the policy goes on there.
public protocol PolicyStore: Sendable {
    /// Takes tokens out of a bucket, or puts them in, as one step that no other machine can interrupt.
    ///
    /// A bucket that the store doesn't know is full. The step has three parts:
    ///
    /// 1. Add `tokensPerSecond` for the time since the bucket's last step, at most up to `capacity`. The time comes
    ///    from the store's own clock, so the clocks of the machines don't matter.
    /// 2. If at least `tokens - overdraft` are in the bucket, take `tokens` out. The bucket may then hold less than
    ///    zero. Otherwise take nothing.
    /// 3. If more than `capacity` are in the bucket, because `tokens` is negative, remove the excess.
    ///
    /// The store may forget a bucket that isn't used for `lifetime`.
    ///
    /// - Returns: A future of the bucket's state after the step.
    func takeTokens(_ request: BucketRequest) -> Future<BucketGrant>

    /// Returns a value that was set and whose lifetime hasn't ended; nil if there is none.
    ///
    /// The store may discard a value early.
    func value(for key: String) -> Future<[UInt8]?>

    /// Sets a value, which replaces the previous one; nil removes it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - lifetime: How long ``value(for:)`` returns the value, by the store's own clock.
    /// - Returns: A future that settles when the value is set.
    func set(_ value: [UInt8]?, for key: String, lifetime: Duration) -> Future<Void>
}

/// A step of a token bucket in a ``PolicyStore``.
public struct BucketRequest: Hashable, Sendable {
    /// The bucket's key.
    public var key: String

    /// The number of tokens to take; negative to put tokens in.
    public var tokens: Double

    /// The maximum number of tokens in the bucket, and their number at first.
    public var capacity: Double

    /// The number of tokens that flow into the bucket in a second; zero if only steps put tokens in.
    public var tokensPerSecond: Double

    /// How far below zero the step may take the bucket.
    public var overdraft: Double

    /// How long the store must remember the bucket after this step.
    public var lifetime: Duration

    /// Creates a step.
    public init(
        _ tokens: Double, from key: String, capacity: Double, tokensPerSecond: Double,
        overdraft: Double, lifetime: Duration
    ) {
        self.key = key
        self.tokens = tokens
        self.capacity = capacity
        self.tokensPerSecond = tokensPerSecond
        self.overdraft = overdraft
        self.lifetime = lifetime
    }
}

/// The result of a ``BucketRequest``.
public struct BucketGrant: Hashable, Sendable {
    /// True if the tokens were taken.
    public var isGranted: Bool

    /// The number of tokens in the bucket after the step; below zero if it is overdrawn.
    public var level: Double

    /// Creates a result.
    public init(isGranted: Bool, level: Double) {
        self.isGranted = isGranted
        self.level = level
    }
}
