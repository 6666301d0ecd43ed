/// Actions in order of their instants; at the same instant, in order of insertion: a structure for very many
/// actions, most of which are cancelled.
///
/// A hierarchical timing wheel. Time is cut into ticks of about half a millisecond. There are wheels of 64
/// slots for the ticks, for each 64 of them, for each 4,096 and so on; an action is on the wheel of the
/// highest digit in which its tick differs from the present one, and moves down as the present approaches it.
/// So all actions on one wheel come before those on the next. The actions of the present tick are in a small
/// heap, in their exact order. Inserting and removing cost O(1), whatever number is pending, and nothing is
/// early or out of order. (Varghese and Lauck 1987, "Hashed and Hierarchical Timing Wheels"; the choice of
/// the wheel by the differing digit is Tokio's idea.)
///
/// Instants are nanoseconds, not less than zero. Not safe to share by itself: the scheduler that owns
/// it guards it by its lock.
struct TimerWheel {
    /// Identifies an action that was inserted.
    struct ID: Sendable {
        fileprivate let index: Int32
        fileprivate let number: UInt64
    }

    private static let bitsOfTick: Int64 = 19
    /// How long a tick is, in nanoseconds.
    static let tick: Int64 = 1 << bitsOfTick
    private static let bitsOfSlot: Int64 = 6
    /// Enough for all ticks that there are.
    private static let wheels = 8

    private var entries = TimerEntries()
    /// The newest entry of each slot, wheel after wheel.
    private var slots = [Int32](repeating: TimerEntries.none, count: wheels << bitsOfSlot)
    /// For each wheel, which of its slots are not empty.
    private var occupied = [UInt64](repeating: 0, count: wheels)
    /// The actions of this tick and before are in `due`.
    private var present: Int64 = 0
    private var due = BinaryHeap<DueTimer>()
    private var insertions: UInt64 = 0

    /// How many actions there are.
    var count: Int { entries.count }

    /// Adds an action.
    ///
    /// - Parameters:
    ///   - instant: When it is due.
    ///   - now: The present, so that an empty wheel need not catch up.
    ///   - action: What to run then.
    mutating func insert(
        at instant: Int64, now: Int64, _ action: @escaping @Sendable () -> Void
    ) -> ID {
        if entries.count == 0 {
            due = BinaryHeap<DueTimer>()
            present = now >> Self.bitsOfTick
        }
        insertions += 1
        let index = entries.nextIndex()
        let links = place(index, number: insertions, at: instant)
        entries.put(
            .init(instant: instant, number: insertions, action: action, links: links), at: index)
        return ID(index: index, number: insertions)
    }

    /// Takes an action out; nil if it is not in the wheel any more.
    mutating func remove(_ id: ID) -> (@Sendable () -> Void)? {
        guard entries.holds(id.number, at: id.index) else { return nil }
        unlink(entries[id.index].links)
        return entries.remove(id.index)
    }

    /// Whether an action is due.
    mutating func hasDue(at now: Int64) -> Bool {
        advance(to: now >> Self.bitsOfTick)
        dropTakenBack()
        return due.first.map { $0.instant <= now } ?? false
    }

    /// Takes out the first action that is due, if one is.
    mutating func removeDue(at now: Int64) -> (@Sendable () -> Void)? {
        hasDue(at: now) ? entries.remove(due.remove(at: 0).index) : nil
    }

    /// When to look again; nil if there is nothing.
    ///
    /// All actions that are due within one tick can wait for its end, so that one check is enough.
    /// - Returns: The end of the first instant's tick, or a time somewhat before it.
    mutating func nextWakeUp() -> Int64? {
        dropTakenBack()
        if let first = due.first { return Self.endOfTick(of: first.instant) }
        guard let next = nextSlot() else { return nil }
        let start = next.tick << Self.bitsOfTick
        return next.slot < 64 ? Self.endOfTick(of: start) : start
    }

    /// The last nanosecond of the tick in which an instant lies.
    static func endOfTick(of instant: Int64) -> Int64 { instant | (tick - 1) }
}

// MARK: - Slots

extension TimerWheel {
    /// Puts the index of an entry in its slot, or in the heap.
    /// - Returns: Its neighbours.
    private mutating func place(
        _ index: Int32, number: UInt64, at instant: Int64
    ) -> TimerEntries.Links {
        let tick = instant >> Self.bitsOfTick
        guard tick > present else {
            due.insert(DueTimer(instant: instant, number: number, index: index))
            return TimerEntries.Links()
        }
        let wheel = Int64(63 - (tick ^ present).leadingZeroBitCount) / Self.bitsOfSlot
        let slot = Int(wheel << Self.bitsOfSlot | tick >> (wheel * Self.bitsOfSlot) & 63)
        let next = slots[slot]
        if next != TimerEntries.none { entries[next].links.previous = index }
        slots[slot] = index
        occupied[slot >> 6] |= 1 << UInt64(slot & 63)
        return TimerEntries.Links(next: next, slot: Int32(slot))
    }

    /// Removes an entry from its slot.
    ///
    /// If it is in the heap, a tombstone stays there, which is removed later.
    private mutating func unlink(_ links: TimerEntries.Links) {
        guard links.slot != TimerEntries.none else { return }
        if links.next != TimerEntries.none { entries[links.next].links.previous = links.previous }
        if links.previous != TimerEntries.none {
            entries[links.previous].links.next = links.next
        } else {
            slots[Int(links.slot)] = links.next
            if links.next == TimerEntries.none { clear(links.slot) }
        }
    }

    private mutating func clear(_ slot: Int32) {
        occupied[Int(slot >> 6)] &= ~(1 << UInt64(slot & 63))
    }

    /// The next slot that is not empty, and the tick at which it is due.
    private func nextSlot() -> (slot: Int32, tick: Int64)? {
        guard let wheel = occupied.firstIndex(where: { $0 != 0 }) else { return nil }
        // All its slots lie ahead of the present, and in the present turn of the wheel above.
        let place = Int64(occupied[wheel].trailingZeroBitCount)
        let shift = Int64(wheel) * Self.bitsOfSlot
        let tick = (present >> shift & ~63 | place) << shift
        return (Int32(wheel << Int(Self.bitsOfSlot)) | Int32(place), tick)
    }

    /// Moves the present on, and moves actions down whose wheel changes.
    private mutating func advance(to tick: Int64) {
        while let next = nextSlot(), next.tick <= tick {
            present = next.tick
            var index = slots[Int(next.slot)]
            slots[Int(next.slot)] = TimerEntries.none
            clear(next.slot)
            while index != TimerEntries.none {
                let entry = entries[index]
                let following = entry.links.next
                entries[index].links = place(index, number: entry.number, at: entry.instant)
                index = following
            }
        }
        present = max(present, tick)
    }

    /// Removes cancelled actions from the head of the heap.
    private mutating func dropTakenBack() {
        while let first = due.first, !entries.holds(first.number, at: first.index) {
            due.remove(at: 0)
        }
    }
}

/// An action that is due about now: in order of the instants, then of insertion.
private struct DueTimer: HeapElement {
    let instant: Int64
    let number: UInt64
    let index: Int32

    func isBefore(_ other: DueTimer) -> Bool {
        instant == other.instant ? number < other.number : instant < other.instant
    }

    func didMove(to index: Int) {}
}
