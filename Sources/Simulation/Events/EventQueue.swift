import Futures

/// Something that happens at an instant of a simulation.
class SimulatedEvent {
    /// Its index in the queue; nil if it is in none.
    fileprivate(set) var queueIndex: Int?

    /// Runs what happens, while the clock stands at the event's instant.
    func happen() {}

    /// Gives up what happens, at the end of the simulation.
    func discard() {}
}

/// The events that are to happen, in the order of their instants; those of one instant in the order in which they
/// were added.
///
/// Adding, taking and removing cost O(log n).
struct EventQueue {
    private struct Entry: HeapElement {
        let instant: Nanoseconds
        let number: UInt64
        let event: SimulatedEvent

        func isBefore(_ other: Entry) -> Bool {
            instant == other.instant ? number < other.number : instant < other.instant
        }

        func didMove(to index: Int) { event.queueIndex = index }
    }

    private var entries = BinaryHeap<Entry>()
    private var added: UInt64 = 0

    /// The instant of the first event, nil if there is none.
    var firstInstant: Nanoseconds? { entries.first?.instant }

    /// Adds an event that is in no queue.
    mutating func add(_ event: SimulatedEvent, at instant: Nanoseconds) {
        assert(event.queueIndex == nil, "an event is in the queue once")
        added += 1
        entries.insert(Entry(instant: instant, number: added, event: event))
    }

    /// Takes the first event, if its instant is not after another one.
    mutating func next(until end: Nanoseconds) -> (instant: Nanoseconds, event: SimulatedEvent)? {
        guard let first = entries.first, first.instant <= end else { return nil }
        remove(first.event)
        return (first.instant, first.event)
    }

    /// Removes an event, if it is in this queue.
    mutating func remove(_ event: SimulatedEvent) {
        guard let index = event.queueIndex.take() else { return }
        entries.remove(at: index)
    }
}
