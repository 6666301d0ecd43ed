/// Actions in order of their instants; at the same instant, in order of insertion: a structure for
/// very many of them, most of which are taken back.
///
/// A hierarchical timing wheel. Time is cut into ticks of about a millisecond. There are wheels of 64
/// slots for the ticks, for each 64 of them, for each 4,096 and so on; an action stands on the wheel of
/// the highest digit in which its tick differs from the present one, and moves down as the
/// present comes nearer. So all that stands on one wheel comes before what stands on the next. What
/// is due in the present tick stands in a small heap, in its exact order. Inserting and taking back
/// cost O(1), whatever number is pending, and nothing is early or out of order. (Varghese and Lauck
/// 1987, "Hashed and Hierarchical Timing Wheels"; to go by the differing digit is Tokio's idea.)
///
/// Instants are nanoseconds, not less than zero. Not safe to share by itself: the scheduler that owns
/// it guards it by its lock.
@usableFromInline
struct TimerWheel: Sendable {
    /// Names an action that was inserted.
    @usableFromInline
    struct ID: Sendable {
        fileprivate let index: Int32
        fileprivate let number: UInt64
    }

    private static let bitsOfTick: Int64 = 20
    private static let bitsOfSlot: Int64 = 6
    /// Enough for all ticks that there are.
    private static let wheels = 8

    private var entries = TimerEntries()
    /// The newest entry of each slot, wheel after wheel.
    private var slots = [Int32](repeating: TimerEntries.none, count: wheels << bitsOfSlot)
    /// For each wheel, which of its slots are not empty.
    private var occupied = [UInt64](repeating: 0, count: wheels)
    /// What is due in this tick or before stands in `due`.
    private var present: Int64 = 0
    private var due = DueHeap()
    private var insertions: UInt64 = 0

    /// How many actions there are.
    var count: Int { entries.count }

    /// Adds an action.
    ///
    /// - Parameters:
    ///   - instant: When it is due.
    ///   - now: The present, so that an empty wheel need not catch up.
    ///   - action: What to do then.
    mutating func insert(at instant: Int64, now: Int64, _ action: consuming TimerAction) -> ID {
        if entries.count == 0 {
            due = DueHeap()
            present = now >> Self.bitsOfTick
        }
        insertions += 1
        let index = entries.add(at: instant, number: insertions, action)
        place(index)
        return ID(index: index, number: insertions)
    }

    /// Takes an action out; nil if it is not in the wheel any more.
    mutating func remove(_ id: ID) -> TimerAction? {
        guard entries.holds(id.number, at: id.index) else { return nil }
        unlink(id.index)
        return entries.remove(id.index)
    }

    /// Takes out the first action that is due, if one is.
    mutating func removeDue(at now: Int64) -> TimerAction? {
        advance(to: now >> Self.bitsOfTick)
        dropTakenBack()
        guard let first = due.first, first.instant <= now else { return nil }
        due.removeFirst()
        return entries.remove(first.index)
    }

    /// When to look again: at the first instant, or somewhat before it; nil if there is nothing.
    mutating func nextWakeUp() -> Int64? {
        dropTakenBack()
        return due.first?.instant ?? nextSlot().map { $0.tick << Self.bitsOfTick }
    }
}

// MARK: - Slots

extension TimerWheel {
    /// Puts an entry in its slot, or in the heap.
    private mutating func place(_ index: Int32) {
        let tick = entries[index].instant >> Self.bitsOfTick
        guard tick > present else {
            entries[index].slot = TimerEntries.none
            let (instant, number) = (entries[index].instant, entries[index].number)
            return due.insert(.init(instant: instant, number: number, index: index))
        }
        let wheel = Int64(63 - (tick ^ present).leadingZeroBitCount) / Self.bitsOfSlot
        let place = tick >> (wheel * Self.bitsOfSlot) & 63
        link(index, in: Int32(wheel << Self.bitsOfSlot | place))
    }

    private mutating func link(_ index: Int32, in slot: Int32) {
        let first = slots[Int(slot)]
        entries[index].slot = slot
        entries[index].next = first
        entries[index].previous = TimerEntries.none
        if first != TimerEntries.none { entries[first].previous = index }
        slots[Int(slot)] = index
        occupied[Int(slot >> 6)] |= 1 << UInt64(slot & 63)
    }

    /// Takes an entry out of its slot.
    ///
    /// Of one in the heap a trace is left there, which is dropped later.
    private mutating func unlink(_ index: Int32) {
        let slot = entries[index].slot
        guard slot != TimerEntries.none else { return }
        let (next, previous) = (entries[index].next, entries[index].previous)
        if next != TimerEntries.none { entries[next].previous = previous }
        if previous != TimerEntries.none {
            entries[previous].next = next
        } else {
            slots[Int(slot)] = next
            if next == TimerEntries.none { clear(slot) }
        }
    }

    private mutating func clear(_ slot: Int32) {
        occupied[Int(slot >> 6)] &= ~(1 << UInt64(slot & 63))
    }

    /// The next slot with anything in it, and the tick at which its turn comes.
    private func nextSlot() -> (slot: Int32, tick: Int64)? {
        guard let wheel = occupied.firstIndex(where: { $0 != 0 }) else { return nil }
        // All its slots lie ahead of the present, and in the present turn of the wheel above.
        let place = Int64(occupied[wheel].trailingZeroBitCount)
        let shift = Int64(wheel) * Self.bitsOfSlot
        let tick = (present >> shift & ~63 | place) << shift
        return (Int32(wheel << Int(Self.bitsOfSlot)) | Int32(place), tick)
    }

    /// Moves the present on, and whatever comes nearer by it.
    private mutating func advance(to tick: Int64) {
        while let next = nextSlot(), next.tick <= tick {
            present = next.tick
            var index = slots[Int(next.slot)]
            slots[Int(next.slot)] = TimerEntries.none
            clear(next.slot)
            while index != TimerEntries.none {
                let following = entries[index].next
                place(index)
                index = following
            }
        }
        present = max(present, tick)
    }

    /// Drops from the head of the heap what was taken back.
    private mutating func dropTakenBack() {
        while let first = due.first, !entries.holds(first.number, at: first.index) {
            due.removeFirst()
        }
    }
}
