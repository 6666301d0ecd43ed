public import PledgeFutures
import PledgeServices

/// Keeps a cache's responses in memory, up to a limit in bytes.
///
/// ```swift
/// let cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
/// ```
///
/// To stay within the limit, the store evicts the responses of the least recently used URLs. You can use the store from
/// any thread. Each use holds a lock. The time under the lock grows linearly with the number of the URL's variants, and
/// with the number of evicted responses.
public final class MemoryCacheStore: CacheStore {
    /// The amount stored now.
    package var currentUsage: CacheUsage { table.withLock { $0.usage } }

    /// Shared by all caches over this store.
    let calls = Locked(CallValidity<CacheKey>())

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - limit: The largest total size of all responses, in bytes: bodies, headers and URLs, plus an allowance for
    ///     overhead. Less than one is a programming error and traps.
    ///   - largest: The largest size of one response, in bytes; nil for an eighth of the limit. A larger response isn't
    ///     stored.
    public init(limit: Int = 32 << 20, largest: Int? = nil) {
        precondition(limit >= 1, "a cache needs a limit of at least 1 byte, not \(limit)")
        table = Locked(
            MemoryCacheTable(limit: limit, largest: min(largest ?? limit / 8, limit)))
    }

    private let table: Locked<MemoryCacheTable>
}

extension MemoryCacheStore {
    /// Returns the responses stored for a key, at once.
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

    /// Removes all responses, at once.
    public func removeAll() -> Future<Void> {
        table.withLockThenRelease { $0.removeAll() }
        return Future(value: ())
    }

    /// Returns the keys whose stored responses meet a condition, at once.
    ///
    /// The time grows linearly with the number of stored URLs. The lock isn't held while the condition is called.
    public func keys(
        where isIncluded: @escaping @Sendable (CacheKey, [CachedResponse]) -> Bool
    ) -> Future<[CacheKey]> {
        let all = table.withLock { $0.contents }
        return Future(value: all.filter { isIncluded($0.key, $0.entries) }.map(\.key))
    }

    /// Returns how much is stored, at once.
    public func usage() -> Future<CacheUsage> { Future(value: currentUsage) }
}

/// Responses by key; the least recently used keys are evicted.
///
/// Removed responses are returned, so that the caller frees them after it has released its lock.
struct MemoryCacheTable: Sendable {
    private struct Group {
        var entries: [CachedResponse]
        var bytes: Int
    }

    /// The limit for all responses together, in bytes; `largest` is the limit for one.
    let limit: Int
    let largest: Int

    private(set) var usage = CacheUsage(count: 0, bytes: 0)

    private var groups = LRUTable<CacheKey, Group>()

    init(limit: Int, largest: Int) {
        self.limit = limit
        self.largest = largest
    }

    /// The responses of a key, which counts as a use.
    mutating func find(_ key: CacheKey) -> [CachedResponse] {
        guard let slot = groups.slot(of: key) else { return [] }
        groups.use(slot)
        return groups[slot]?.value.entries ?? []
    }

    var contents: [(key: CacheKey, entries: [CachedResponse])] {
        groups.elements.map { ($0.key, $0.value.entries) }
    }

    /// Changes a key's responses, and evicts other keys if needed.
    ///
    /// - Returns: The removed responses, for the caller to free outside the lock.
    mutating func update(
        _ key: CacheKey, _ change: (inout [CachedResponse]) -> Void
    ) -> [CachedResponse] {
        var removed = groups.slot(of: key).map { removeGroup($0) } ?? []
        var entries = removed
        change(&entries)
        entries.removeAll { $0.byteCount > largest }
        var bytes = Self.bytes(key, entries)
        while bytes > limit, !entries.isEmpty {
            removed.append(entries.removeFirst())
            bytes = Self.bytes(key, entries)
        }
        if entries.isEmpty { return removed }
        while usage.bytes + bytes > limit, let oldest = groups.oldest {
            removed += removeGroup(oldest)
        }
        groups.insert(key, Group(entries: entries, bytes: bytes))
        usage.bytes += bytes
        usage.count += entries.count
        return removed
    }

    /// Empties the table, and returns what it held.
    mutating func removeAll() -> [CachedResponse] {
        let removed = groups.values.flatMap(\.entries)
        self = MemoryCacheTable(limit: limit, largest: largest)
        return removed
    }

    private static func bytes(_ key: CacheKey, _ entries: [CachedResponse]) -> Int {
        entries.reduce(0) { $0 + $1.byteCount + key.byteCount }
    }

    private mutating func removeGroup(_ slot: Int) -> [CachedResponse] {
        guard let group = groups.remove(slot)?.value else { return [] }
        usage.bytes -= group.bytes
        usage.count -= group.entries.count
        return group.entries
    }
}
