/// An order of numbered slots: any of them can be removed, or moved to the end, in constant time.
///
/// A doubly linked list whose links are in two arrays, as long as the highest slot requires.
package struct SlotOrder: Sendable {
    /// The slot that has been in the order for the longest time, nil if there is none.
    @inlinable
    package var first: Int? { head < 0 ? nil : head }

    /// Puts a slot that is not in the order at its end.
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

    /// Makes an order without slots.
    @inlinable
    package init() {}

    @usableFromInline var links: [(previous: Int, next: Int)] = []
    @usableFromInline var head = -1
    @usableFromInline var tail = -1
}
