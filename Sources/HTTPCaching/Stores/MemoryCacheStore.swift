public import PledgeFutures

/// Keeps a cache's responses in memory, within a bound of bytes.
///
/// ```swift
/// let cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
/// ```
///
/// When the limit would be passed, the least recently used URLs are evicted. It may be used from
/// any thread; each use takes a lock for time linear in the number of variants of one URL, and in the number
/// of evicted responses.
public final class MemoryCacheStore: CacheStore {
    /// How much is stored now.
    public var currentUsage: CacheUsage { table.withLock { $0.usage } }

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - limit: How many bytes are kept at most: bodies, headers and URLs, with an allowance for
    ///     each. Less than one is a programming error and traps.
    ///   - largest: How many of them one response may take; nil for an eighth of the limit. A
    ///     larger response is not stored.
    public init(limit: Int = 32 << 20, largest: Int? = nil) {
        precondition(limit >= 1, "a cache needs a limit of at least 1 byte, not \(limit)")
        table = Locked(
            MemoryCacheTable(limit: limit, largest: min(largest ?? limit / 8, limit)))
    }

    private let table: Locked<MemoryCacheTable>
}

extension MemoryCacheStore {
    /// The responses that are stored for a key, at once.
    public func responses(for key: CacheKey) -> Future<[CachedResponse]> {
        Future(value: table.withLock { $0.find(key) })
    }

    /// Changes the stored responses of a key, at once.
    public func update(
        _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
    ) -> Future<Void> {
        table.withLockThenRelease { $0.update(key, change) }
        return Future(value: ())
    }

    /// Removes everything, at once.
    public func removeAll() -> Future<Void> {
        table.withLockThenRelease { $0.removeAll() }
        return Future(value: ())
    }

    /// How much is stored now.
    public func usage() -> Future<CacheUsage> { Future(value: currentUsage) }
}
