/// Actions in order of their instants and, at the same instant, in order of insertion.
///
/// It is made for very many actions, most of which are cancelled.
///
/// It is a hierarchical timing wheel. Time is cut into ticks of about half a millisecond. There are several wheels
/// of 64 slots. A slot of the first wheel is one tick, a slot of the second wheel is 64 ticks, a slot of the third
/// wheel is 4,096 ticks, and so on.
///
/// The number of a tick has one digit, in base 64, for each wheel. An action is on the wheel of the highest digit
/// in which its tick differs from the present tick. It moves down to lower wheels as the present approaches it. So
/// all actions on one wheel come before the actions on the next wheel. The actions of the present tick are in a
/// small heap, in their exact order. Inserting and removing cost O(1), however many actions are pending, and
/// nothing is early or out of order. (Varghese and Lauck 1987, "Hashed and Hierarchical Timing Wheels". Choosing
/// the wheel by the differing digit is Tokio's idea.)
///
/// Instants are nanoseconds, not less than zero. The wheel has no lock of its own: the scheduler that owns the wheel
/// guards it.
struct TimerWheel {
    /// The identity of an action that was inserted.
    struct ID: Sendable {
        fileprivate let index: Int32
        fileprivate let number: UInt64
    }

    private static let bitsOfTick: Int64 = 19
    /// The length of a tick, in nanoseconds.
    static let tick: Int64 = 1 << bitsOfTick
    private static let bitsOfSlot: Int64 = 6
    /// The number of wheels, enough for all possible ticks.
    private static let wheels = 8

    private var entries = TimerEntries()
    /// The newest entry of each slot: all slots of the first wheel, then those of the second, and so on.
    private var slots = [Int32](repeating: TimerEntries.none, count: wheels << bitsOfSlot)
    /// For each wheel, a bit for each slot that isn't empty.
    private var occupied = [UInt64](repeating: 0, count: wheels)
    /// The present tick; the actions of this tick and of earlier ticks are in `due`.
    private var present: Int64 = 0
    private var due = BinaryHeap<DueTimer>()
    private var insertions: UInt64 = 0

    var count: Int { entries.count }

    /// Adds an action.
    ///
    /// - Parameters:
    ///   - instant: The time at which it is due.
    ///   - now: The present. An empty wheel jumps to this instant, and needn't catch up slot by slot.
    ///   - action: The code to run then.
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

    /// Takes an action out; nil if it isn't in the wheel any more.
    mutating func remove(_ id: ID) -> (@Sendable () -> Void)? {
        guard entries.holds(id.number, at: id.index) else { return nil }
        unlink(entries[id.index].links)
        return entries.remove(id.index)
    }

    mutating func hasDue(at now: Int64) -> Bool {
        advance(to: now >> Self.bitsOfTick)
        dropTakenBack()
        return due.first.map { $0.instant <= now } ?? false
    }

    /// Takes out the first action that is due; nil if none is due.
    mutating func removeDue(at now: Int64) -> (@Sendable () -> Void)? {
        hasDue(at: now) ? entries.remove(due.remove(at: 0).index) : nil
    }

    /// The time to look again; nil if there are no actions.
    ///
    /// All actions that are due within one tick can wait for the end of the tick, so one check is enough for them.
    ///
    /// - Returns: The end of the first action's tick, or a somewhat earlier time.
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
    /// Puts the index of an entry into the entry's slot, or into the heap.
    ///
    /// - Returns: The links of the entry.
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
    /// An entry in the heap stays there as a tombstone, and is removed later.
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

    /// The next slot that isn't empty, and the tick at which it is due.
    private func nextSlot() -> (slot: Int32, tick: Int64)? {
        guard let wheel = occupied.firstIndex(where: { $0 != 0 }) else { return nil }
        // All occupied slots of this wheel lie ahead of the present, and their ticks have the same higher digits as the
        // present tick.
        let place = Int64(occupied[wheel].trailingZeroBitCount)
        let shift = Int64(wheel) * Self.bitsOfSlot
        let tick = (present >> shift & ~63 | place) << shift
        return (Int32(wheel << Int(Self.bitsOfSlot)) | Int32(place), tick)
    }

    /// Moves the present on to a tick, and moves actions down to lower wheels as needed.
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

/// An action that is due about now, ordered by its instant, and then by insertion.
private struct DueTimer: HeapElement {
    let instant: Int64
    let number: UInt64
    let index: Int32

    func isBefore(_ other: DueTimer) -> Bool {
        instant == other.instant ? number < other.number : instant < other.instant
    }

    func didMove(to index: Int) {}
}

// MARK: - Entries

/// The entries of a timer wheel, in slabs of 64.
///
/// A slab that becomes empty frees its memory, except for one spare slab. Adding and removing cost O(1). The index of
/// an entry doesn't change.
struct TimerEntries {
    /// The index that means no entry.
    static let none: Int32 = -1

    struct Entry {
        /// The time at which the action is due, in nanoseconds.
        var instant: Int64 = 0
        /// The number of the entry's insertion, counted from one; 0 if the entry is free.
        var number: UInt64 = 0
        var action: (@Sendable () -> Void)?
        var links = Links()
    }

    /// The links of an entry in its wheel.
    struct Links {
        /// The entry's neighbours in its slot.
        var next = TimerEntries.none
        var previous = TimerEntries.none
        /// The entry's slot, if it is in one.
        var slot = TimerEntries.none
    }

    struct Slab {
        /// The 64 entries; an empty array if all are free, except in the spare slab.
        var entries: [Entry] = []
        /// A bit for each entry that is free.
        var free = UInt64.max
        /// The next slab with a free entry.
        var next = TimerEntries.none
    }

    private(set) var slabs: [Slab] = []
    /// The first slab with a free entry.
    private var free = TimerEntries.none
    /// The slab that became empty last.
    ///
    /// It keeps its memory. So timers that are set one after another allocate nothing.
    private var spare = TimerEntries.none
    /// The number of entries that aren't free.
    private(set) var count = 0

    subscript(index: Int32) -> Entry {
        _read { yield slabs[Int(index >> 6)].entries[Int(index & 63)] }
        _modify { yield &slabs[Int(index >> 6)].entries[Int(index & 63)] }
    }

    /// Returns whether an entry still belongs to the insertion with this number.
    func holds(_ number: UInt64, at index: Int32) -> Bool {
        let slab = Int(index >> 6)
        guard slab < slabs.count, !slabs[slab].entries.isEmpty else { return false }
        return slabs[slab].entries[Int(index & 63)].number == number
    }

    /// The index for the next entry.
    mutating func nextIndex() -> Int32 {
        if free == Self.none {
            free = Int32(slabs.count)
            slabs.append(Slab())
        }
        return free << 6 | Int32(slabs[Int(free)].free.trailingZeroBitCount)
    }

    /// Puts an entry at ``nextIndex()``.
    mutating func put(_ entry: consuming Entry, at index: Int32) {
        count += 1
        let slab = Int(free)
        if slabs[slab].free == .max {
            if spare == free {
                spare = Self.none
            } else {
                slabs[slab].entries = Array(repeating: Entry(), count: 64)
            }
        }
        slabs[slab].free &= slabs[slab].free - 1
        if slabs[slab].free == 0 { free = slabs[slab].next }
        self[index] = entry
    }

    /// Frees an entry.
    ///
    /// - Returns: The entry's action, which the caller releases while it holds no lock.
    mutating func remove(_ index: Int32) -> (@Sendable () -> Void)? {
        count -= 1
        let slab = Int(index >> 6)
        let action = self[index].action.take()
        self[index].number = 0
        if slabs[slab].free == 0 {
            slabs[slab].next = free
            free = Int32(slab)
        }
        slabs[slab].free |= 1 << UInt64(index & 63)
        if slabs[slab].free == .max {
            if spare != Self.none { slabs[Int(spare)].entries = [] }
            spare = Int32(slab)
        }
        if count == 0, slabs.count > 64 { self = TimerEntries() }
        return action
    }
}
