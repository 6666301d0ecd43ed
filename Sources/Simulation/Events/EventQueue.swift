/// Something that happens at an instant of a simulation.
class SimulatedEvent {
    /// Runs what happens, while the clock stands at the event's instant.
    func happen() {}
}

/// The events that are to happen, in the order of their instants; those of one instant in the order in which they
/// were added.
///
/// Adding and taking cost O(log n). It is a heap with four children a node ("d-heap", Johnson 1975): fewer levels
/// than with two, and the children lie in one or two cache lines.
struct EventQueue: ~Copyable {
    private struct Entry {
        let instant: Nanoseconds
        let number: UInt64
        let event: Unmanaged<SimulatedEvent>

        @inline(__always)
        func isBefore(_ other: Entry) -> Bool {
            instant == other.instant ? number < other.number : instant < other.instant
        }
    }

    private var entries: ContiguousArray<Entry> = []
    private var added: UInt64 = 0

    /// How many events are to happen.
    var count: Int { entries.count }

    /// The instant of the first event, nil if there is none.
    var firstInstant: Nanoseconds? { entries.first?.instant }

    deinit {
        for entry in entries { entry.event.release() }
    }

    /// Adds an event, which the queue keeps until it is taken.
    mutating func add(_ event: SimulatedEvent, at instant: Nanoseconds) {
        added += 1
        let entry = Entry(instant: instant, number: added, event: .passRetained(event))
        entries.append(entry)
        var index = entries.count - 1
        entries.withUnsafeMutableBufferPointer { entries in
            while index > 0 {
                let parent = (index - 1) / 4
                if !entry.isBefore(entries[parent]) { break }
                entries[index] = entries[parent]
                index = parent
            }
            entries[index] = entry
        }
    }

    /// Takes the first event, if its instant is not after another one.
    mutating func next(until end: Nanoseconds) -> (instant: Nanoseconds, event: SimulatedEvent)? {
        guard let first = entries.first, first.instant <= end else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty { moveDown(last, from: 0) }
        return (first.instant, first.event.takeRetainedValue())
    }

    /// Removes the events for which a function is true, in time linear in their number.
    mutating func removeAll(where isRemoved: (SimulatedEvent) -> Bool) {
        let all = entries
        entries.removeAll(keepingCapacity: true)
        for entry in all {
            if entry.event._withUnsafeGuaranteedRef(isRemoved) {
                entry.event.release()
            } else {
                entries.append(entry)
            }
        }
        if entries.count < 2 { return }
        for index in stride(from: (entries.count - 2) / 4, through: 0, by: -1) {
            moveDown(entries[index], from: index)
        }
    }

    private mutating func moveDown(_ entry: Entry, from start: Int) {
        var index = start
        entries.withUnsafeMutableBufferPointer { entries in
            while true {
                let firstChild = 4 * index + 1
                if firstChild >= entries.count { break }
                var smallest = firstChild
                for child in firstChild
                    + 1..<max(firstChild + 1, min(firstChild + 4, entries.count))
                where entries[child].isBefore(entries[smallest]) {
                    smallest = child
                }
                if !entries[smallest].isBefore(entry) { break }
                entries[index] = entries[smallest]
                index = smallest
            }
            entries[index] = entry
        }
    }
}
