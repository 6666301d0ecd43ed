/// Values by their keys, a bounded number of them, and who uses them.
///
/// A key is unknown. Next: in use, by the first to enter. From there: unused, when the last one leaves; in use
/// again, or unknown, when it is removed.
///
/// Nothing that was kept is let go here: whoever holds the lock gets it back, to release it later.
struct KeyTable<Key: Hashable, Value> {
    /// A key that nobody uses.
    struct Unused {
        let value: Value
        fileprivate let slot: Int
        /// What the number of the entry's last use was.
        fileprivate let use: Int
    }

    private struct Entry {
        let key: Key
        let value: Value
        var users = 0
        /// The number of the last change between in use and unused, or of its being postponed.
        var use = 0
    }

    private let limit: Int
    private var slots: [Key: Int] = [:]
    private var entries: [Entry?] = []
    private var free: [Int] = []
    /// The slots that nobody uses, those that were left or postponed first, first.
    private var unused = SlotOrder()
    private var lastUse = 0

    /// How many keys nobody uses.
    private(set) var idleCount = 0

    init(limit: Int) { self.limit = limit }

    /// How many keys are known.
    var count: Int { slots.count }

    var isFull: Bool { slots.count >= limit }

    /// The key that has been unused for longest.
    var oldest: Unused? {
        guard let slot = unused.first, let entry = entries[slot] else { return nil }
        return Unused(value: entry.value, slot: slot, use: entry.use)
    }

    /// Comes with a key.
    ///
    /// - Returns: Nil where the key is unknown; otherwise what to leave by.
    mutating func enter(_ key: Key) -> (slot: Int, Value)? {
        guard let slot = slots[key], var entry = entries[slot] else { return nil }
        if entry.users == 0 { take(slot) }
        entry.users += 1
        entries[slot] = entry
        return (slot, entry.value)
    }

    /// Comes with a key that may be unknown.
    ///
    /// - Returns: Nil where there is no room for it.
    mutating func enter(_ key: Key, adding value: Value) -> (slot: Int, Value)? {
        if let entered = enter(key) { return entered }
        if isFull { return nil }
        let slot = free.popLast() ?? entries.count
        let entry = Entry(key: key, value: value, users: 1)
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        slots[key] = slot
        return (slot, value)
    }

    /// Goes: called once for each that has entered.
    mutating func leave(_ slot: Int) {
        guard let users = entries[slot]?.users else { return }
        entries[slot]?.users = users - 1
        if users == 1 { put(slot) }
    }

    /// Removes a key, unless it was used in the meantime.
    ///
    /// - Returns: What has been taken out.
    mutating func remove(_ key: Unused) -> (Key, Value)? {
        guard isCurrent(key), let entry = entries[key.slot] else { return nil }
        take(key.slot)
        slots[entry.key] = nil
        entries[key.slot] = nil
        free.append(key.slot)
        return (entry.key, entry.value)
    }

    /// Counts a key as used now, unless it was used in the meantime.
    mutating func postpone(_ key: Unused) {
        guard isCurrent(key) else { return }
        take(key.slot)
        put(key.slot)
    }

    private func isCurrent(_ key: Unused) -> Bool {
        guard let entry = entries[key.slot] else { return false }
        return entry.use == key.use && entry.users == 0
    }

    private mutating func put(_ slot: Int) {
        lastUse += 1
        entries[slot]?.use = lastUse
        unused.append(slot)
        idleCount += 1
    }

    private mutating func take(_ slot: Int) {
        unused.remove(slot)
        idleCount -= 1
    }
}
