/// Actions in order of their instants; at the same instant, in order of insertion.
///
/// A binary heap whose entries know their place, so that taking one back needs no search. Inserting
/// and removing cost O(log n), and mostly O(1) for timeouts: one that is later than the others stays
/// at the end of the heap, and is removed from there. (Williams 1964, "Algorithm 232: Heapsort".)
///
/// Not safe to share by itself: the scheduler that owns it guards it by its lock.
struct TimerQueue {
    /// One action's place in the queue.
    ///
    /// Guarded by the lock that guards the queue.
    final class Entry: @unchecked Sendable {
        fileprivate(set) var index = -1
    }

    private struct Item {
        let instant: SchedulerInstant
        let number: UInt64
        let entry: Entry
        let action: @Sendable () -> Void

        func isBefore(_ other: Item) -> Bool {
            instant == other.instant ? number < other.number : instant < other.instant
        }
    }

    private var heap: [Item] = []
    private var count: UInt64 = 0

    var isEmpty: Bool { heap.isEmpty }

    /// The earliest instant.
    var nextInstant: SchedulerInstant? { heap.first?.instant }

    /// Adds an action.
    mutating func insert(
        _ entry: Entry, at instant: SchedulerInstant, _ action: @escaping @Sendable () -> Void
    ) {
        count += 1
        heap.append(Item(instant: instant, number: count, entry: entry, action: action))
        entry.index = heap.count - 1
        moveUp(heap.count - 1)
    }

    /// Takes the earliest action out.
    mutating func removeFirst() -> (@Sendable () -> Void)? {
        heap.first.flatMap { remove($0.entry) }
    }

    /// Takes an action out; nil if it is not in the queue any more.
    mutating func remove(_ entry: Entry) -> (@Sendable () -> Void)? {
        let index = entry.index
        guard index >= 0 else { return nil }
        entry.index = -1
        let removed = heap[index]
        let last = heap.removeLast()
        if index < heap.count {
            place(last, at: index)
            moveUp(index)
            moveDown(index)
        }
        return removed.action
    }

    private mutating func place(_ item: Item, at index: Int) {
        heap[index] = item
        item.entry.index = index
    }

    private mutating func moveUp(_ start: Int) {
        var index = start
        let item = heap[index]
        while index > 0, item.isBefore(heap[(index - 1) / 2]) {
            place(heap[(index - 1) / 2], at: index)
            index = (index - 1) / 2
        }
        if index != start { place(item, at: index) }
    }

    private mutating func moveDown(_ start: Int) {
        var index = start
        let item = heap[index]
        while 2 * index + 1 < heap.count {
            var child = 2 * index + 1
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            if !heap[child].isBefore(item) { break }
            place(heap[child], at: index)
            index = child
        }
        if index != start { place(item, at: index) }
    }
}
