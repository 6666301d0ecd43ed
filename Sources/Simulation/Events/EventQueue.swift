import PledgeFutures

/// Something that happens at an instant of a simulation.
class SimulatedEvent {
    /// Its index in the queue; nil if it is in none.
    fileprivate(set) final var queueIndex: Int?

    /// Runs what happens, while the clock stands at the event's instant.
    func happen() {}

    /// Gives up what happens, at the end of the simulation.
    func discard() {}
}

/// The events that are to happen, in the order of their instants; those of one instant in the order in which they
/// were added.
///
/// Adding, taking and removing cost O(log n).
final class EventQueue {
    private struct Entry: HeapElement {
        let instant: Nanoseconds
        let number: UInt64
        /// Retained as long as it is in the queue, so that moving an entry counts no reference.
        let event: Unmanaged<SimulatedEvent>

        func isBefore(_ other: Entry) -> Bool {
            instant == other.instant ? number < other.number : instant < other.instant
        }

        func didMove(to index: Int) { event._withUnsafeGuaranteedRef { $0.queueIndex = index } }
    }

    // Only the thread of the simulation uses the queue.
    @exclusivity(unchecked) private var entries = BinaryHeap<Entry>()
    private var added: UInt64 = 0

    deinit {
        while next(until: .max) != nil {}
    }

    /// The instant of the first event, nil if there is none.
    var firstInstant: Nanoseconds? { entries.first?.instant }

    /// Adds an event that is in no queue.
    func add(_ event: SimulatedEvent, at instant: Nanoseconds) {
        assert(event.queueIndex == nil, "an event is in the queue once")
        added += 1
        entries.insert(Entry(instant: instant, number: added, event: .passRetained(event)))
    }

    /// Takes the first event, if its instant is not after another one.
    func next(until end: Nanoseconds) -> (instant: Nanoseconds, event: SimulatedEvent)? {
        guard let first = entries.first, first.instant <= end else { return nil }
        entries.remove(at: 0)
        let event = first.event.takeRetainedValue()
        event.queueIndex = nil
        return (first.instant, event)
    }

    /// Removes an event, if it is in this queue.
    func remove(_ event: SimulatedEvent) {
        guard let index = event.queueIndex.take() else { return }
        entries.remove(at: index).event.release()
    }
}
