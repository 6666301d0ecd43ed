/// Elements, of which the first in order is found in constant time.
///
/// Inserting and removing cost O(log n), and mostly O(1) for an element after all others: it stays at the end
/// of the array, and is removed from there. (Williams 1964, "Algorithm 232: Heapsort".)
@usableFromInline
package struct BinaryHeap<Element: HeapElement> {
    @usableFromInline var elements: [Element] = []

    @inlinable
    package init() {}

    @inlinable
    package var first: Element? { elements.first }

    @inlinable
    package mutating func insert(_ element: Element) {
        elements.append(element)
        move(from: elements.count - 1)
    }

    /// Takes out the element at an index; there has to be one.
    @discardableResult
    @inlinable
    package mutating func remove(at index: Int) -> Element {
        elements.swapAt(index, elements.count - 1)
        let removed = elements.removeLast()
        if index < elements.count { move(from: index) }
        // The capacity after a burst is released.
        if elements.capacity > 4_096, elements.count < elements.capacity / 4 {
            elements = elements.withUnsafeBufferPointer { Array($0) }
        }
        return removed
    }

    /// Moves an element up or down to its place.
    @inlinable
    mutating func move(from start: Int) {
        var index = start
        while true {
            // The element to swap with: the parent, or the first of the children.
            var other = index
            if index > 0, elements[index].isBefore(elements[(index - 1) / 2]) {
                other = (index - 1) / 2
            } else {
                for child in 2 * index + 1...2 * index + 2
                where child < elements.count && elements[child].isBefore(elements[other]) {
                    other = child
                }
            }
            elements[index].didMove(to: other)
            if other == index { return }
            elements[other].didMove(to: index)
            elements.swapAt(index, other)
            index = other
        }
    }
}

/// What a heap orders.
@usableFromInline
package protocol HeapElement {
    func isBefore(_ other: Self) -> Bool

    /// Is notified of its index, which is valid until the next insertion or removal.
    func didMove(to index: Int)
}
