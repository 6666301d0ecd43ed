/// A bounded number of values by key, with the number of users of each.
///
/// A key is unknown. Next: in use, by the first to enter. From there: unused, when the last one leaves; then
/// in use again, or unknown, when it is removed.
///
/// Stored objects are not released here: they are returned to the holder of the lock, which releases them
/// later.
struct KeyTable<Key: Hashable, Value> {
    /// An unused key.
    struct Unused {
        let value: Value
        fileprivate let slot: Int
        /// The number of the entry's last use.
        fileprivate let use: Int
    }

    private struct Entry {
        let value: Value
        var users = 1
        /// The number of the last change between in use and unused, or of the last postponement.
        var use = 0
    }

    private let limit: Int
    /// Those in use are held.
    private var entries = LRUTable<Key, Entry>()
    private var lastUse = 0

    /// The number of unused keys.
    private(set) var idleCount = 0

    init(limit: Int) { self.limit = limit }

    /// How many keys are known.
    var count: Int { entries.count }

    var isFull: Bool { entries.count >= limit }

    /// The key that has been unused for longest.
    var oldest: Unused? {
        guard let slot = entries.oldest, let entry = entries[slot]?.value else { return nil }
        return Unused(value: entry.value, slot: slot, use: entry.use)
    }

    /// Enters a caller with a key.
    ///
    /// - Returns: Nil if the key is unknown; otherwise the slot to leave with.
    mutating func enter(_ key: Key) -> (slot: Int, Value)? {
        guard let slot = entries.slot(of: key), let entry = entries[slot]?.value else { return nil }
        if entry.users == 0 { hold(slot) }
        entries.update(slot) { $0.users += 1 }
        return (slot, entry.value)
    }

    /// Comes with a key that may be unknown.
    ///
    /// - Returns: Nil if there is no room for it.
    mutating func enter(_ key: Key, adding value: Value) -> (slot: Int, Value)? {
        if let entered = enter(key) { return entered }
        if isFull { return nil }
        return (entries.insert(key, Entry(value: value), isHeld: true), value)
    }

    /// Leaves: called once for each that has entered.
    mutating func leave(_ slot: Int) {
        guard let users = entries[slot]?.value.users else { return }
        entries.update(slot) { $0.users -= 1 }
        if users == 1 { release(slot) }
    }

    /// Removes a key, unless it was used in the meantime.
    ///
    /// - Returns: The removed objects.
    mutating func remove(_ key: Unused) -> (Key, Value)? {
        guard isCurrent(key), let (known, entry) = entries.remove(key.slot) else { return nil }
        idleCount -= 1
        return (known, entry.value)
    }

    /// Counts a key as used now, unless it was used in the meantime.
    mutating func postpone(_ key: Unused) {
        guard isCurrent(key) else { return }
        hold(key.slot)
        release(key.slot)
    }

    private func isCurrent(_ key: Unused) -> Bool {
        guard let entry = entries[key.slot]?.value else { return false }
        return entry.use == key.use && entry.users == 0
    }

    private mutating func release(_ slot: Int) {
        lastUse += 1
        let use = lastUse
        entries.update(slot) { $0.use = use }
        entries.release(slot)
        idleCount += 1
    }

    private mutating func hold(_ slot: Int) {
        entries.hold(slot)
        idleCount -= 1
    }
}
