public import PledgeFutures
import PledgeServices

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

/// Responses by key, within a limit in bytes: the least recently used keys are evicted.
///
/// Stored objects are not released here: they are returned to the holder of the lock, which releases them
/// later.
struct MemoryCacheTable: Sendable {
    /// The stored responses of one key.
    private struct Group {
        var entries: [CachedResponse]
        var bytes: Int
    }

    /// The limits in bytes of all responses, and of one.
    let limit: Int
    let largest: Int

    private(set) var usage = CacheUsage(count: 0, bytes: 0)

    private var groups = LRUTable<CacheKey, Group>()

    init(limit: Int, largest: Int) {
        self.limit = limit
        self.largest = largest
    }

    /// The stored responses of a key; this counts as a use.
    mutating func find(_ key: CacheKey) -> [CachedResponse] {
        guard let slot = groups.slot(of: key) else { return [] }
        groups.use(slot)
        return groups[slot]?.value.entries ?? []
    }

    /// Changes the stored responses of a key, and evicts others if necessary.
    ///
    /// - Returns: The removed responses, which the caller releases outside the lock.
    mutating func update(
        _ key: CacheKey, _ change: (inout [CachedResponse]) -> Void
    ) -> [CachedResponse] {
        var removed = groups.slot(of: key).map { take($0) } ?? []
        var entries = removed
        change(&entries)
        entries.removeAll { $0.byteCount > largest }
        var bytes = Self.bytes(key, entries)
        while bytes > limit, !entries.isEmpty {
            removed.append(entries.removeFirst())
            bytes = Self.bytes(key, entries)
        }
        if entries.isEmpty { return removed }
        while usage.bytes + bytes > limit, let oldest = groups.oldest { removed += take(oldest) }
        groups.insert(key, Group(entries: entries, bytes: bytes))
        usage.bytes += bytes
        usage.count += entries.count
        return removed
    }

    /// Empties the table.
    mutating func removeAll() -> [CachedResponse] {
        let removed = groups.values.flatMap(\.entries)
        self = MemoryCacheTable(limit: limit, largest: largest)
        return removed
    }

    private static func bytes(_ key: CacheKey, _ entries: [CachedResponse]) -> Int {
        entries.reduce(0) { $0 + $1.byteCount + key.byteCount }
    }

    private mutating func take(_ slot: Int) -> [CachedResponse] {
        guard let group = groups.remove(slot)?.value else { return [] }
        usage.bytes -= group.bytes
        usage.count -= group.entries.count
        return group.entries
    }
}
