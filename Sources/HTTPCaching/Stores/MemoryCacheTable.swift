import Services

/// Responses by key, within a bound of bytes: what has not been asked for the longest makes room.
///
/// Nothing that was kept is released here: the holder of the lock gets it back, to release it
/// later.
struct MemoryCacheTable: Sendable {
    /// All that is stored for one key.
    private struct Group {
        var entries: [CachedResponse]
        var bytes: Int
    }

    /// How many bytes are kept at most, and of how many one response may be.
    let limit: Int
    let largest: Int

    private(set) var usage = CacheUsage(count: 0, bytes: 0)

    private var groups = LRUTable<CacheKey, Group>()

    init(limit: Int, largest: Int) {
        self.limit = limit
        self.largest = largest
    }

    /// What is stored for a key, which counts as a use.
    mutating func find(_ key: CacheKey) -> [CachedResponse] {
        guard let slot = groups.slot(of: key) else { return [] }
        groups.use(slot)
        return groups[slot]?.value.entries ?? []
    }

    /// Changes what is stored for a key, and makes room for it.
    ///
    /// - Returns: What has been taken out, to be released outside of the lock.
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
        entries.reduce(0) { $0 + $1.byteCount + key.url.utf8.count }
    }

    private mutating func take(_ slot: Int) -> [CachedResponse] {
        guard let group = groups.remove(slot)?.value else { return [] }
        usage.bytes -= group.bytes
        usage.count -= group.entries.count
        return group.entries
    }
}
