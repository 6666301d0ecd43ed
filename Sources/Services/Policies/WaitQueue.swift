/// A first-in, first-out queue whose entries may leave from any position.
///
/// Each entry gets a unique number, its ticket. Joining, leaving and removing the first entry take amortised constant
/// time. An entry that leaves is removed from a table at once, and from the order once half of the entries in the order
/// have left. So memory is proportional to the number of waiting entries.
package struct WaitQueue<Element> {
    private var elements: [Int: Element] = [:]
    /// The tickets by age, from index `first` on, including tickets of entries that have left.
    private var order: [Int] = []
    private var first = 0
    private var lastTicket = 0

    package var count: Int { elements.count }

    package var isEmpty: Bool { elements.isEmpty }

    /// The number of stored tickets, for a test that checks that old tickets are removed.
    var size: Int { order.count }

    package init() {}

    /// Adds an entry at the end.
    ///
    /// - Returns: The entry's ticket.
    package mutating func append(_ element: Element) -> Int {
        lastTicket += 1
        elements[lastTicket] = element
        order.append(lastTicket)
        return lastTicket
    }

    /// Removes an entry.
    ///
    /// - Returns: The entry; nil if it had already left.
    package mutating func remove(_ ticket: Int) -> Element? {
        let element = elements.removeValue(forKey: ticket)
        tidy()
        return element
    }

    /// Removes the entry that has waited longest.
    package mutating func popFirst() -> Element? {
        while first < order.count {
            first += 1
            if let element = elements.removeValue(forKey: order[first - 1]) {
                tidy()
                return element
            }
        }
        return nil
    }

    /// Removes the tickets of entries that have left, once there are more of these than of waiting entries.
    private mutating func tidy() {
        guard order.count > 2 * elements.count + 16 else { return }
        order = order[first...].filter { elements[$0] != nil }
        first = 0
    }
}

extension WaitQueue: Sendable where Element: Sendable {}
