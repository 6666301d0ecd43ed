package import PledgeServices

/// A queue of entries with a priority; an entry may leave from any position.
///
/// Joining, leaving, raising, and removing the first or the last entry take constant time. To call an entry means to
/// tell it that its turn has come. It then leaves the queue, but keeps its slot until the call is confirmed. So each
/// ticket ends exactly once.
package struct PriorityWaitQueue<Element> {
    /// An entry's unique number, and its slot.
    package struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
        fileprivate let slot: Int
    }

    fileprivate enum Stage {
        /// The slot is free. Next: `waiting`.
        case free
        /// The entry waits. Next: `called` or `free`.
        case waiting(Element)
        /// The entry has been called, but the call isn't confirmed yet. Next: `free`.
        case called
    }

    fileprivate struct Slot {
        var number = 0
        var priority = CallPriority.critical
        var stage = Stage.free
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    /// The slots of the waiting entries, by priority and then by age.
    private var orders = CallPriority.allCases.map { _ in SlotOrder() }
    private var lastNumber = 0

    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The number of slots, for a test that checks that slots are reused.
    var size: Int { slots.count }

    /// The lowest priority of the waiting entries; nil if the queue is empty.
    package var leastPriority: CallPriority? {
        CallPriority.allCases.first { orders[$0.rawValue].first != nil }
    }

    /// Adds an entry as the youngest of its priority.
    package mutating func append(_ element: Element, _ priority: CallPriority) -> Ticket {
        lastNumber += 1
        let entry = Slot(number: lastNumber, priority: priority, stage: .waiting(element))
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(entry) } else { slots[slot] = entry }
        orders[priority.rawValue].append(slot)
        count += 1
        return Ticket(number: lastNumber, slot: slot)
    }

    /// Makes a waiting entry the youngest of a higher priority, but never lowers the entry's priority.
    package mutating func raise(_ ticket: Ticket, to priority: CallPriority) {
        let slot = ticket.slot
        guard isCurrent(ticket), case .waiting = slots[slot].stage,
            priority > slots[slot].priority
        else { return }
        orders[slots[slot].priority.rawValue].remove(slot)
        slots[slot].priority = priority
        orders[priority.rawValue].append(slot)
    }

    /// Calls the oldest or the youngest entry of the highest priority; this entry leaves the queue.
    package mutating func call(youngest: Bool) -> Element? {
        for priority in CallPriority.allCases.reversed() {
            if let slot = slot(of: priority, youngest: youngest) {
                return takeEntry(in: slot, leaving: .called)
            }
        }
        return nil
    }

    /// Removes the youngest or the oldest entry of the lowest priority.
    package mutating func removeLeast(oldest: Bool) -> Element? {
        guard let leastPriority else { return nil }
        return slot(of: leastPriority, youngest: !oldest).flatMap {
            takeEntry(in: $0, leaving: .free)
        }
    }

    /// Removes an entry that waits.
    ///
    /// - Returns: The entry; nil if it doesn't wait.
    package mutating func remove(_ ticket: Ticket) -> Element? {
        guard isCurrent(ticket) else { return nil }
        return takeEntry(in: ticket.slot, leaving: .free)
    }

    /// Confirms the call of an entry, and frees the entry's slot.
    ///
    /// - Returns: False if the entry wasn't called, or its call was already confirmed.
    package mutating func confirm(_ ticket: Ticket) -> Bool {
        guard isCurrent(ticket), case .called = slots[ticket.slot].stage else { return false }
        free(ticket.slot)
        return true
    }

    /// Returns the slot of the youngest or the oldest waiting entry of a priority.
    ///
    /// This is a function, so that no second reference to the order exists while an entry is removed from it. With a
    /// second reference, the removal would copy all links.
    private func slot(of priority: CallPriority, youngest: Bool) -> Int? {
        youngest ? orders[priority.rawValue].last : orders[priority.rawValue].first
    }

    private func isCurrent(_ ticket: Ticket) -> Bool {
        slots[ticket.slot].number == ticket.number
    }

    /// - Returns: Nil if the slot's entry doesn't wait.
    private mutating func takeEntry(in slot: Int, leaving stage: Stage) -> Element? {
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

extension PriorityWaitQueue: Sendable where Element: Sendable {}

extension PriorityWaitQueue.Stage: Sendable where Element: Sendable {}

extension PriorityWaitQueue.Slot: Sendable where Element: Sendable {}
