/// The entries of a timer wheel, in slabs of 64 that free their memory when they are empty.
///
/// Adding and removing cost O(1). The index of an entry does not change.
struct TimerEntries {
    /// The index that means no entry.
    static let none: Int32 = -1

    struct Entry {
        /// When the action is due, in nanoseconds.
        var instant: Int64 = 0
        /// The number of its insertion, counted from one; 0 if the entry is free.
        var number: UInt64 = 0
        var action: (@Sendable () -> Void)?
        var links = Links()
    }

    /// The links of an entry in its wheel.
    struct Links {
        /// Its neighbours in its slot.
        var next = TimerEntries.none
        var previous = TimerEntries.none
        /// Its slot, if it is in one.
        var slot = TimerEntries.none
    }

    struct Slab {
        /// 64 entries; empty if all are free, except in the spare slab.
        var entries: [Entry] = []
        /// A bit for each entry that is free.
        var free = UInt64.max
        /// The next slab with a free entry.
        var next = TimerEntries.none
    }

    private(set) var slabs: [Slab] = []
    /// The first slab with a free entry.
    private var free = TimerEntries.none
    /// The slab that became empty last: it keeps its memory, so that one timer after another allocates
    /// nothing.
    private var spare = TimerEntries.none
    /// How many are not free.
    private(set) var count = 0

    subscript(index: Int32) -> Entry {
        _read { yield slabs[Int(index >> 6)].entries[Int(index & 63)] }
        _modify { yield &slabs[Int(index >> 6)].entries[Int(index & 63)] }
    }

    /// Whether an entry still belongs to an insertion.
    func holds(_ number: UInt64, at index: Int32) -> Bool {
        let slab = Int(index >> 6)
        guard slab < slabs.count, !slabs[slab].entries.isEmpty else { return false }
        return slabs[slab].entries[Int(index & 63)].number == number
    }

    /// The index at which the next entry is to be put.
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
    /// - Returns: Its action, which the caller releases while it holds no lock.
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
