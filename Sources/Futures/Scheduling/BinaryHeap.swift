/// A binary heap, which finds the first of its elements in constant time.
///
/// Inserting and removing cost O(log n). For an element that comes after all others, they mostly cost O(1): the
/// element stays at the end of the array, and is removed from there. (Williams 1964, "Algorithm 232: Heapsort".)
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

    /// Removes the element at an index, which must exist.
    @discardableResult
    @inlinable
    package mutating func remove(at index: Int) -> Element {
        elements.swapAt(index, elements.count - 1)
        let removed = elements.removeLast()
        if index < elements.count { move(from: index) }
        // This releases the capacity that a burst needed.
        if elements.capacity > 4_096, elements.count < elements.capacity / 4 {
            elements = elements.withUnsafeBufferPointer { Array($0) }
        }
        return removed
    }

    /// Moves an element up or down to its place.
    ///
    /// Each element that it passes moves, by one write, into the place that has just become free.
    @inlinable
    mutating func move(from start: Int) {
        let element = elements[start]
        var index = start
        while index > 0, element.isBefore(elements[(index - 1) / 2]) {
            fill(index, from: (index - 1) / 2)
            index = (index - 1) / 2
        }
        if index == start {
            while let child = firstChild(of: index), elements[child].isBefore(element) {
                fill(index, from: child)
                index = child
            }
        }
        elements[index] = element
        element.didMove(to: index)
    }

    @inlinable
    mutating func fill(_ index: Int, from other: Int) {
        elements[index] = elements[other]
        elements[index].didMove(to: index)
    }

    /// The index of the child that comes first in order; nil if there is no child.
    @inlinable
    func firstChild(of index: Int) -> Int? {
        let child = 2 * index + 1
        if child >= elements.count { return nil }
        let other = child + 1
        return other < elements.count && elements[other].isBefore(elements[child]) ? other : child
    }
}

/// An element of a ``BinaryHeap``.
@usableFromInline
package protocol HeapElement {
    func isBefore(_ other: Self) -> Bool

    /// Called with the element's index, which is valid until the next insertion or removal.
    func didMove(to index: Int)
}
