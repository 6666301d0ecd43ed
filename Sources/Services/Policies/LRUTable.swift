/// Values by key, ordered by their last use, the least recent first.
///
/// Each value has a slot, through which it is found without its key. Slots are reused. Every operation takes constant
/// time. While a value is held, it isn't in the order.
package struct LRUTable<Key: Hashable, Value> {
    @usableFromInline var slots: [Key: Int] = [:]
    @usableFromInline var entries: [(key: Key, value: Value)?] = []
    @usableFromInline var free: [Int] = []
    @usableFromInline var uses = SlotOrder()

    @inlinable
    package init() {}

    /// The number of values, including held ones.
    @inlinable
    package var count: Int { slots.count }

    /// The slot of the least recently used value that isn't held; nil if there is none.
    @inlinable
    package var oldest: Int? { uses.first }

    @inlinable
    package func slot(of key: Key) -> Int? { slots[key] }

    /// The key and the value in a slot; nil if the slot is empty.
    @inlinable
    package subscript(slot: Int) -> (key: Key, value: Value)? { entries[slot] }

    /// All values, in no particular order.
    @inlinable
    package var values: [Value] { entries.compactMap { $0?.value } }

    /// All keys with their values, in no particular order.
    @inlinable
    package var elements: [(key: Key, value: Value)] { entries.compactMap { $0 } }

    /// Adds a value for a new key, as the one used last unless it's held, and returns the value's slot.
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

    /// Changes the value in a slot, but not its position in the order.
    @inlinable
    package mutating func update(_ slot: Int, _ change: (inout Value) -> Void) {
        if entries[slot] != nil { change(&entries[slot]!.value) }
    }

    /// Moves a value to the end of the order, as just used.
    @inlinable
    package mutating func use(_ slot: Int) {
        uses.remove(slot)
        uses.append(slot)
    }

    /// Holds a value, which removes it from the order.
    @inlinable
    package mutating func hold(_ slot: Int) { uses.remove(slot) }

    /// Releases a held value, which adds it to the end of the order.
    @inlinable
    package mutating func release(_ slot: Int) { uses.append(slot) }

    /// Removes a value that isn't held.
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

/// An order of numbered slots; removing a slot or moving it to the end takes constant time.
///
/// It is a doubly linked list, whose links are stored in an array as long as the highest slot number requires.
package struct SlotOrder: Sendable {
    /// The slot that was added first; nil if the order is empty.
    @inlinable
    package var first: Int? { head < 0 ? nil : head }

    /// The slot that was added last; nil if the order is empty.
    @inlinable
    package var last: Int? { tail < 0 ? nil : tail }

    /// Adds a slot that isn't in the order yet at its end.
    @inlinable
    package mutating func append(_ slot: Int) {
        while links.count <= slot { links.append((previous: -1, next: -1)) }
        links[slot] = (previous: tail, next: -1)
        if tail < 0 { head = slot } else { links[tail].next = slot }
        tail = slot
    }

    /// Removes a slot that is in the order.
    @inlinable
    package mutating func remove(_ slot: Int) {
        let (previous, next) = links[slot]
        if previous < 0 { head = next } else { links[previous].next = next }
        if next < 0 { tail = previous } else { links[next].previous = previous }
    }

    /// Creates an empty order.
    @inlinable
    package init() {}

    @usableFromInline var links: [(previous: Int, next: Int)] = []
    @usableFromInline var head = -1
    @usableFromInline var tail = -1
}
