import PledgeServices

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
