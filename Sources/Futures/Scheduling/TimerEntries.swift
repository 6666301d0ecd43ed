/// The entries of a timer wheel, in one array, where those that are free form a list.
struct TimerEntries: Sendable {
    /// The index that means no entry.
    static let none: Int32 = -1

    struct Entry: Sendable {
        /// When, in nanoseconds.
        var instant: Int64 = 0
        /// Which insertion it is of, counted from one; 0 if the entry is free.
        var number: UInt64 = 0
        var action: TimerAction?
        /// Its neighbours in its slot; in a free entry the next free one.
        var next = TimerEntries.none
        var previous = TimerEntries.none
        /// Its slot, if it stands in one.
        var slot = TimerEntries.none
    }

    private var entries: [Entry] = []
    private var free = TimerEntries.none
    /// How many are not free.
    private(set) var count = 0

    subscript(index: Int32) -> Entry {
        _read { yield entries[Int(index)] }
        _modify { yield &entries[Int(index)] }
    }

    /// Whether an entry is still that of an insertion.
    func holds(_ number: UInt64, at index: Int32) -> Bool {
        Int(index) < entries.count && entries[Int(index)].number == number
    }

    /// Takes a free entry, and fills it in.
    mutating func add(at instant: Int64, number: UInt64, _ action: consuming TimerAction) -> Int32 {
        count += 1
        var index = free
        if index == Self.none {
            index = Int32(entries.count)
            entries.append(Entry())
        } else {
            free = entries[Int(index)].next
        }
        entries[Int(index)].instant = instant
        entries[Int(index)].number = number
        entries[Int(index)].action = action
        return index
    }

    /// Frees an entry.
    /// - Returns: Its action, to be released where no lock is held.
    mutating func remove(_ index: Int32) -> TimerAction? {
        count -= 1
        let action = entries[Int(index)].action.take()
        entries[Int(index)].number = 0
        entries[Int(index)].next = free
        free = index
        // The room of a burst is not kept.
        if count == 0, entries.count > 4_096 {
            entries = []
            free = Self.none
        }
        return action
    }
}

/// What a timer does.
enum TimerAction: Sendable {
    case call(@Sendable () -> Void)
    /// Tells a future that its time is over, without a closure that would say so.
    case expire(FutureNode)

    func run() {
        switch self {
        case .call(let body): body()
        case .expire(let future): future.timeIsOver()
        }
    }
}
