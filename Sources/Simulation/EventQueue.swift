import PledgeFutures
import PledgeServices

class SimulatedEvent {
    /// Nil outside a queue.
    fileprivate(set) final var queueIndex: Int?

    /// Called when the clock has reached the event's instant.
    func happen() {}

    /// Called at the end of the simulation.
    func discard() {}
}

/// The events to come, by instant, and in the order they were added.
///
/// Adding, taking and removing cost O(log n).
final class EventQueue {
    private struct Entry: HeapElement {
        let instant: Nanoseconds
        let number: UInt64
        /// Retained and released by hand, so that moving an entry changes no reference count.
        let event: Unmanaged<SimulatedEvent>

        func isBefore(_ other: Entry) -> Bool {
            instant == other.instant ? number < other.number : instant < other.instant
        }

        func didMove(to index: Int) { event._withUnsafeGuaranteedRef { $0.queueIndex = index } }
    }

    // Only the simulation's thread uses the queue, so checks for overlapping accesses are off.
    @exclusivity(unchecked) private var entries = BinaryHeap<Entry>()
    /// Steps of tasks at the present instant, which can't be removed.
    ///
    /// There are more of these than of all others, and a heap would compare each with many.
    @exclusivity(unchecked) private var present: [(number: UInt64, event: SimulatedEvent)] = []
    /// The first event in `present` that hasn't happened.
    private var head = 0
    private var added: UInt64 = 0

    deinit {
        while entries.first != nil { entries.remove(at: 0).event.release() }
    }

    var isEmpty: Bool { entries.first == nil && head == present.count }

    func add(_ event: SimulatedEvent, at instant: Nanoseconds) {
        assert(event.queueIndex == nil, "an event is in the queue once")
        added += 1
        entries.insert(Entry(instant: instant, number: added, event: .passRetained(event)))
    }

    /// Adds an event at the present instant; it can't be removed.
    func addNow(_ event: SimulatedEvent) {
        added += 1
        present.append((added, event))
    }

    /// Takes the first event, unless it comes after `end`; `now` is the present instant.
    func next(
        from now: Nanoseconds, until end: Nanoseconds
    ) -> (instant: Nanoseconds, event: SimulatedEvent)? {
        let first = entries.first
        if head < present.count {
            let (number, event) = present[head]
            if let first, first.instant <= now, first.number < number { return takeFirst(first) }
            head += 1
            // Moving the rest costs less than one step for each event that has happened.
            if head == present.count || head >= 1024 && head * 2 >= present.count {
                present.removeFirst(head)
                head = 0
            }
            return (now, event)
        }
        guard let first, first.instant <= end else { return nil }
        return takeFirst(first)
    }

    private func takeFirst(_ first: Entry) -> (instant: Nanoseconds, event: SimulatedEvent) {
        entries.remove(at: 0)
        let event = first.event.takeRetainedValue()
        event.queueIndex = nil
        return (first.instant, event)
    }

    func remove(_ event: SimulatedEvent) {
        guard let index = event.queueIndex.take() else { return }
        entries.remove(at: index).event.release()
    }
}
