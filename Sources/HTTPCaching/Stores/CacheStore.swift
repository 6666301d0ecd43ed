public import Futures

/// Where a cache keeps its responses.
///
/// ``MemoryCacheStore`` is one. A store knows nothing of HTTP's rules: the ``HTTPCache`` decides what
/// is stored, used and removed. It may forget any response at any time, but must never give one that
/// was not stored whole, or that was removed.
///
/// Calls for one key take effect in their order, even if the futures settle later. Methods may be
/// called from any thread, and must not wait.
public protocol CacheStore: Sendable {
    /// The responses that are stored for a key, in the order in which they were left; none where there
    /// are none.
    ///
    /// A store that fails is taken for an empty one.
    func responses(for key: CacheKey) -> Future<[CachedResponse]>

    /// Changes what is stored for a key, as one step.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Called once with what is stored, to leave there what is to be stored; calls for one
    ///     key do not overlap. It may be called within a lock of the store.
    /// - Returns: A future that settles when the change is made.
    func update(
        _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
    ) -> Future<Void>

    /// Removes everything.
    func removeAll() -> Future<Void>

    /// How much is stored.
    func usage() -> Future<CacheUsage>
}

/// How much a ``CacheStore`` holds.
public struct CacheUsage {
    /// How many responses there are.
    public var count: Int

    /// How many bytes they take, with their URLs.
    public var bytes: Int

    /// Makes a usage.
    public init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }
}

extension CacheUsage: Hashable {}

extension CacheUsage: Sendable {}
