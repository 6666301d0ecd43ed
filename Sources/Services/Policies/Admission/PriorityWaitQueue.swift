/// A queue of entries with a priority, which may leave from any position.
///
/// Joining, leaving, raising, and removing the first or the last entry of the service order take constant time. An entry
/// that is called keeps its slot until it is confirmed, so that each ticket has exactly one end.
struct PriorityWaitQueue<Element> {
    /// A unique number, and where its entry is.
    struct Ticket: Hashable {
        fileprivate let number: Int
        fileprivate let slot: Int
    }

    /// What an entry does.
    fileprivate enum Stage {
        /// The slot is free. Next: `waiting`.
        case free
        /// It waits. Next: `called`, or `free`.
        case waiting(Element)
        /// It has been called, and has not confirmed it. Next: `free`.
        case called
    }

    fileprivate struct Slot {
        var number = 0
        var priority = CallPriority.critical
        var stage = Stage.free
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    /// The slots of each priority's waiting entries, by age.
    private var orders = CallPriority.allCases.map { _ in SlotOrder() }
    private var lastNumber = 0

    /// How many wait.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// How many slots there are, for the test that they do not accumulate.
    var size: Int { slots.count }

    /// The least priority of those that wait; nil if none does.
    var leastPriority: CallPriority? {
        CallPriority.allCases.first { orders[$0.rawValue].first != nil }
    }

    /// Joins as the youngest of its priority.
    mutating func append(_ element: Element, _ priority: CallPriority) -> Ticket {
        lastNumber += 1
        let entry = Slot(number: lastNumber, priority: priority, stage: .waiting(element))
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(entry) } else { slots[slot] = entry }
        orders[priority.rawValue].append(slot)
        count += 1
        return Ticket(number: lastNumber, slot: slot)
    }

    /// Makes a waiting entry the youngest of a higher priority; never lowers it.
    mutating func raise(_ ticket: Ticket, to priority: CallPriority) {
        let slot = ticket.slot
        guard isCurrent(ticket), case .waiting = slots[slot].stage,
            priority > slots[slot].priority
        else { return }
        orders[slots[slot].priority.rawValue].remove(slot)
        slots[slot].priority = priority
        orders[priority.rawValue].append(slot)
    }

    /// Calls an entry of the greatest priority: the oldest of them, or the youngest.
    mutating func call(youngest: Bool) -> Element? {
        for priority in CallPriority.allCases.reversed() {
            if let slot = end(of: priority, youngest: youngest) {
                return take(slot, leaving: .called)
            }
        }
        return nil
    }

    /// Removes an entry of the least priority: the youngest of them, or the oldest.
    mutating func removeLeast(oldest: Bool) -> Element? {
        guard let leastPriority else { return nil }
        return end(of: leastPriority, youngest: !oldest).flatMap { take($0, leaving: .free) }
    }

    /// Leaves the queue.
    ///
    /// - Returns: The entry; nil if it does not wait.
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard isCurrent(ticket) else { return nil }
        return take(ticket.slot, leaving: .free)
    }

    /// Confirms that an entry was called, the first time.
    ///
    /// - Returns: False if it was not called, or has been confirmed.
    mutating func confirm(_ ticket: Ticket) -> Bool {
        guard isCurrent(ticket), case .called = slots[ticket.slot].stage else { return false }
        free(ticket.slot)
        return true
    }

    /// The slot of the youngest or the oldest waiting entry of a priority.
    ///
    /// A function, so that no second reference to the order's links exists when an entry is taken from it:
    /// they would all be copied.
    private func end(of priority: CallPriority, youngest: Bool) -> Int? {
        youngest ? orders[priority.rawValue].last : orders[priority.rawValue].first
    }

    private func isCurrent(_ ticket: Ticket) -> Bool {
        slots[ticket.slot].number == ticket.number
    }

    /// - Returns: Nil if the slot's entry does not wait.
    private mutating func take(_ slot: Int, leaving stage: Stage) -> Element? {
        guard case .waiting(let element) = slots[slot].stage else { return nil }
        orders[slots[slot].priority.rawValue].remove(slot)
        count -= 1
        slots[slot].stage = stage
        if case .free = stage { free(slot) }
        return element
    }

    private mutating func free(_ slot: Int) {
        slots[slot] = Slot()
        freeSlots.append(slot)
    }
}

extension SlotOrder {
    /// The slot that was put into the order last, nil if there is none.
    fileprivate var last: Int? { tail < 0 ? nil : tail }
}

extension PriorityWaitQueue: Sendable where Element: Sendable {}

extension PriorityWaitQueue.Ticket: Sendable {}

extension PriorityWaitQueue.Stage: Sendable where Element: Sendable {}

extension PriorityWaitQueue.Slot: Sendable where Element: Sendable {}
