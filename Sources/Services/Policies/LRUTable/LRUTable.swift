/// Values by key, in order of their last use, the least recent first.
///
/// A value has a slot, by which it is found without its key. Slots are reused. Every operation takes constant
/// time. A held value is not in the order until it is released.
package struct LRUTable<Key: Hashable, Value> {
    @usableFromInline var slots: [Key: Int] = [:]
    @usableFromInline var entries: [(key: Key, value: Value)?] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var uses = SlotOrder()

    /// Makes a table without values.
    @inlinable
    package init() {}

    /// How many values there are, held ones included.
    @inlinable
    package var count: Int { slots.count }

    /// The slot that has not been used for longest, and is not held.
    @inlinable
    package var oldest: Int? { uses.first }

    /// The slot of a key.
    @inlinable
    package func slot(of key: Key) -> Int? { slots[key] }

    /// The key and the value in a slot; nil if it is empty.
    @inlinable
    package subscript(slot: Int) -> (key: Key, value: Value)? { entries[slot] }

    /// All values, in no order.
    @inlinable
    package var values: [Value] { entries.compactMap { $0?.value } }

    /// Adds a value for a key that has none; it is held, or counts as used.
    @inlinable
    @discardableResult
    package mutating func insert(_ key: Key, _ value: Value, isHeld: Bool = false) -> Int {
        let slot = free.popLast() ?? entries.count
        if slot == entries.count { entries.append(nil) }
        entries[slot] = (key, value)
        slots[key] = slot
        if !isHeld { uses.append(slot) }
        return slot
    }

    /// Changes the value in a slot, but not its place in the order.
    @inlinable
    package mutating func update(_ slot: Int, _ change: (inout Value) -> Void) {
        if entries[slot] != nil { change(&entries[slot]!.value) }
    }

    /// Counts a value as used now.
    @inlinable
    package mutating func use(_ slot: Int) {
        uses.remove(slot)
        uses.append(slot)
    }

    /// Holds a value: removes it from the order.
    @inlinable
    package mutating func hold(_ slot: Int) { uses.remove(slot) }

    /// Releases a held value: adds it to the order, as used now.
    @inlinable
    package mutating func release(_ slot: Int) { uses.append(slot) }

    /// Removes a value that is not held.
    @inlinable
    package mutating func remove(_ slot: Int) -> (key: Key, value: Value)? {
        guard let entry = entries[slot] else { return nil }
        slots[entry.key] = nil
        entries[slot] = nil
        uses.remove(slot)
        free.append(slot)
        return entry
    }
}

extension LRUTable: Sendable where Key: Sendable, Value: Sendable {}
