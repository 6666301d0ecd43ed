public import PledgeFutures
import PledgeServices

/// A ``PolicyStore`` in memory, for tests and for several clients in one process.
///
/// ```swift
/// let store = MemoryPolicyStore()
/// let first = RateLimiter(rate: 10, per: .seconds(1), shared: SharedState("shop", in: store))
/// let second = RateLimiter(rate: 10, per: .seconds(1), shared: SharedState("shop", in: store))
/// ```
///
/// Its futures have settled when its methods return. You can use it from any thread; each use takes a lock for
/// amortised constant time. Expired entries are freed each time the store has doubled.
public final class MemoryPolicyStore: PolicyStore {
    /// Creates an empty store.
    ///
    /// - Parameter scheduler: The store's clock. Time also counts while the device sleeps.
    public init(on scheduler: some FutureScheduler = .live) { self.scheduler = scheduler }

    /// Takes tokens out of a bucket.
    public func takeTokens(_ request: BucketRequest) -> Future<BucketGrant> {
        let now = scheduler.continuousNow
        return Future(value: buckets.withLock { $0.takeTokens(request, at: now) })
    }

    /// Returns a value.
    public func value(for key: String) -> Future<[UInt8]?> {
        let now = scheduler.continuousNow
        return Future(value: values.withLock { $0.value(for: key, at: now) })
    }

    /// Sets a value.
    public func set(_ value: [UInt8]?, for key: String, lifetime: Duration) -> Future<Void> {
        let now = scheduler.continuousNow
        values.withLock { $0.set(value, for: key, lifetime: lifetime, at: now) }
        return Future(value: ())
    }

    private let buckets = Locked(Expiring<StoredBucket>())
    private let values = Locked(Expiring<[UInt8]>())
    private let scheduler: any FutureScheduler
}

/// Values by key, each with the instant at which it expires.
struct Expiring<Value: Sendable>: Sendable {
    private var entries: [String: (value: Value, end: SchedulerInstant)] = [:]

    /// The number of entries at which the expired ones are removed.
    private var limit = 8

    /// The number of stored values, including expired ones.
    var count: Int { entries.count }

    func value(for key: String, at now: SchedulerInstant) -> Value? {
        guard let entry = entries[key], now < entry.end else { return nil }
        return entry.value
    }

    mutating func set(
        _ value: Value?, for key: String, lifetime: Duration, at now: SchedulerInstant
    ) {
        if value != nil, entries.count >= limit, entries[key] == nil {
            entries = entries.filter { now < $0.value.end }
            // Before the next removal come at least as many new keys as entries remain now.
            limit = max(8, entries.count * 2)
        }
        entries[key] = value.map { ($0, now.advanced(by: lifetime)) }
    }
}

/// A token bucket in a store.
struct StoredBucket: Sendable {
    var level: Double
    /// The instant of the last step.
    var time: SchedulerInstant
}

extension Expiring<StoredBucket> {
    mutating func takeTokens(_ request: BucketRequest, at now: SchedulerInstant) -> BucketGrant {
        var bucket =
            value(for: request.key, at: now) ?? StoredBucket(level: request.capacity, time: now)
        // A late thread may come with an earlier instant.
        let elapsed = max(0, bucket.time.duration(to: now).inSeconds)
        bucket.time = max(bucket.time, now)
        bucket.level += elapsed * request.tokensPerSecond
        bucket.level = min(bucket.level, request.capacity)
        let isGranted = bucket.level - request.tokens >= -request.overdraft
        if isGranted { bucket.level = min(bucket.level - request.tokens, request.capacity) }
        set(bucket, for: request.key, lifetime: request.lifetime, at: now)
        return BucketGrant(isGranted: isGranted, level: bucket.level)
    }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double { Double(nanoseconds) / 1e9 }
}
