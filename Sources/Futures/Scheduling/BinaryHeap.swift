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
    ///
    /// Each element that it passes is written once, to where the one before it was.
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

    /// The index of the first in order of an element's children, nil without a child.
    @inlinable
    func firstChild(of index: Int) -> Int? {
        let child = 2 * index + 1
        if child >= elements.count { return nil }
        let other = child + 1
        return other < elements.count && elements[other].isBefore(elements[child]) ? other : child
    }
}

/// What a heap orders.
@usableFromInline
package protocol HeapElement {
    func isBefore(_ other: Self) -> Bool

    /// Is notified of its index, which is valid until the next insertion or removal.
    func didMove(to index: Int)
}
