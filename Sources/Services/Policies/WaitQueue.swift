/// A first-in, first-out queue whose entries may leave from any position.
///
/// Each entry gets a ticket, a unique number. Joining, leaving and calling the next take constant
/// time, amortised: an entry that leaves is removed from a table at once, and from the order when half of the
/// order have left. So the memory is in proportion to the waiting entries.
package struct WaitQueue<Element> {
    private var elements: [Int: Element] = [:]
    /// The tickets by age, those that have left included, from `first` on.
    private var order: [Int] = []
    private var first = 0
    private var lastTicket = 0

    /// How many wait.
    var count: Int { elements.count }

    var isEmpty: Bool { elements.isEmpty }

    /// How many tickets are kept, for the test that they do not accumulate.
    var size: Int { order.count }

    package init() {}

    /// Joins at the end.
    ///
    /// - Returns: The ticket.
    package mutating func append(_ element: Element) -> Int {
        lastTicket += 1
        elements[lastTicket] = element
        order.append(lastTicket)
        return lastTicket
    }

    /// Leaves.
    ///
    /// - Returns: The entry; nil if it had left already.
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

    /// Removes the tickets that have left, when they are as many as those that wait.
    private mutating func tidy() {
        guard order.count > 2 * elements.count + 16 else { return }
        order = order[first...].filter { elements[$0] != nil }
        first = 0
    }
}

extension WaitQueue: Sendable where Element: Sendable {}
