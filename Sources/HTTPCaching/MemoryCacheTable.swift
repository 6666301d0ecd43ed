import Services

/// Responses by key, within a bound of bytes: what has not been asked for the longest makes room.
///
/// Nothing that was kept is let go here: whoever holds the lock gets it back, to release it later.
struct MemoryCacheTable: Sendable {
    /// All that is stored for one key.
    private struct Group {
        let key: CacheKey
        var entries: [CachedResponse]
        var bytes: Int
    }

    /// How many bytes are kept at most, and of how many one response may be.
    let limit: Int
    let largest: Int

    private(set) var usage = CacheUsage(count: 0, bytes: 0)

    private var slots: [CacheKey: Int] = [:]
    private var groups: [Group?] = []
    private var free: [Int] = []
    /// The slots, those unused for longest first.
    private var uses = SlotOrder()

    init(limit: Int, largest: Int) {
        self.limit = limit
        self.largest = largest
    }

    /// What is stored for a key, which counts as a use.
    mutating func find(_ key: CacheKey) -> [CachedResponse] {
        guard let slot = slots[key], let group = groups[slot] else { return [] }
        uses.remove(slot)
        uses.append(slot)
        return group.entries
    }

    /// Changes what is stored for a key, and makes room for it.
    ///
    /// - Returns: What has been taken out, to be released outside of the lock.
    mutating func update(
        _ key: CacheKey, _ change: (inout [CachedResponse]) -> Void
    ) -> [CachedResponse] {
        var removed = take(key)
        var entries = removed
        change(&entries)
        entries.removeAll { $0.byteCount > largest }
        var bytes = Self.bytes(key, entries)
        while bytes > limit, !entries.isEmpty {
            removed.append(entries.removeFirst())
            bytes = Self.bytes(key, entries)
        }
        if entries.isEmpty { return removed }
        while usage.bytes + bytes > limit, let slot = uses.first, let oldest = groups[slot]?.key {
            removed += take(oldest)
        }
        put(Group(key: key, entries: entries, bytes: bytes))
        return removed
    }

    /// Empties the table.
    mutating func removeAll() -> [CachedResponse] {
        let removed = groups.compactMap { $0?.entries }.flatMap { $0 }
        self = MemoryCacheTable(limit: limit, largest: largest)
        return removed
    }

    private static func bytes(_ key: CacheKey, _ entries: [CachedResponse]) -> Int {
        entries.reduce(0) { $0 + $1.byteCount + key.url.utf8.count }
    }

    private mutating func put(_ group: Group) {
        let slot = free.popLast() ?? groups.count
        if slot == groups.count { groups.append(group) } else { groups[slot] = group }
        slots[group.key] = slot
        uses.append(slot)
        usage.bytes += group.bytes
        usage.count += group.entries.count
    }

    private mutating func take(_ key: CacheKey) -> [CachedResponse] {
        guard let slot = slots.removeValue(forKey: key), let group = groups[slot] else { return [] }
        groups[slot] = nil
        uses.remove(slot)
        free.append(slot)
        usage.bytes -= group.bytes
        usage.count -= group.entries.count
        return group.entries
    }
}
