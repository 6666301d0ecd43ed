public import PledgeFutures

/// The store of a cache's responses.
///
/// ``MemoryCacheStore`` is one. A store does not apply HTTP's rules: the ``HTTPCache`` decides which
/// responses are stored, used and removed. A store may discard any response at any time, but must never
/// return an incomplete or a removed one.
///
/// Calls for one key take effect in their order, even if the futures settle later. Methods may be
/// called from any thread, and must not wait.
public protocol CacheStore: Sendable {
    /// The responses that are stored for a key, in the order in which they were stored; empty if there are
    /// none.
    ///
    /// A store that fails counts as empty.
    func responses(for key: CacheKey) -> Future<[CachedResponse]>

    /// Changes the stored responses of a key, as one step.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Called once with the stored responses, which it changes in place; calls for one key do not
    ///     overlap. It may be called within a lock of the store.
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
public struct CacheUsage: Hashable, Sendable {
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
