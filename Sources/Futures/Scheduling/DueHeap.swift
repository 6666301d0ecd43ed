/// What is due about now, in order of the instants, then of insertion.
///
/// A binary heap. (Williams 1964, "Algorithm 232: Heapsort".)
struct DueHeap: Sendable {
    struct Item: Sendable {
        let instant: Int64
        let number: UInt64
        let index: Int32

        func isBefore(_ other: Item) -> Bool {
            instant == other.instant ? number < other.number : instant < other.instant
        }
    }

    private var items: [Item] = []

    var first: Item? { items.first }

    mutating func insert(_ item: Item) {
        items.append(item)
        var index = items.count - 1
        while index > 0, item.isBefore(items[(index - 1) / 2]) {
            items.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes the first out; there has to be one.
    mutating func removeFirst() {
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var index = 0
        while true {
            var least = index
            for child in 2 * index + 1...2 * index + 2
            where child < items.count && items[child].isBefore(items[least]) {
                least = child
            }
            if least == index { return }
            items.swapAt(index, least)
            index = least
        }
    }
}
