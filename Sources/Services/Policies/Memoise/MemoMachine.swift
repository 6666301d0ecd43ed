import Futures

/// The answers that are kept, and the calls that may add to them.
///
/// A key has no answer. Next: kept, when a call for it succeeds. From there: kept anew, or no answer
/// again, once it has expired, is invalidated, or has to make room.
///
/// Nothing that was kept is released here: the holder of the lock gets it back, to release it
/// later.
struct MemoMachine<Key: Hashable, Value> {
    /// One answer.
    struct Entry {
        let key: Key
        let value: Value
        /// The call that it is of.
        let call: Int
        let since: SchedulerInstant
    }

    /// What a caller finds.
    enum Answer {
        case hit(Value)
        /// The caller is to call the service, and tells the end by this number.
        case miss(call: Int)
    }

    private let timeToLive: Duration
    private let limit: Int

    private var entries = LRUTable<Key, Entry>()
    /// The slots, those that expire first, first.
    private var ages = SlotOrder()

    private var calls = CallValidity<Key>()
    /// The latest instant at which anything was asked.
    private var latest: SchedulerInstant?

    init(timeToLive: Duration, limit: Int) {
        self.timeToLive = timeToLive
        self.limit = limit
    }

    /// How many answers are kept that have not expired.
    mutating func count(at instant: SchedulerInstant) -> (Int, removed: [Entry]) {
        let removed = expire(at: instant)
        return (entries.count, removed)
    }

    /// Asks for an answer.
    mutating func look(
        up key: Key, at instant: SchedulerInstant
    ) -> (answer: Answer, removed: [Entry]) {
        let removed = expire(at: instant)
        if let slot = entries.slot(of: key), let entry = entries[slot]?.value {
            entries.use(slot)
            return (.hit(entry.value), removed)
        }
        return (.miss(call: calls.start(key)), removed)
    }

    /// Ends a call; its value, if it has one, is kept from now on.
    ///
    /// It is not if the key was invalidated since the call began, or the answer of a call that began
    /// later is there already.
    ///
    /// - Returns: What has been taken out, and the key as it was known.
    mutating func end(
        call: Int, _ key: Key, _ value: Value?, at instant: SchedulerInstant
    ) -> (removed: [Entry], key: Key?) {
        var removed = expire(at: instant)
        let isValid = calls.isValid(call, key)
        let known = calls.end(key)
        guard isValid, let value else { return (removed, known) }
        if let slot = entries.slot(of: key), let entry = entries[slot]?.value {
            if entry.call > call { return (removed, known) }
            take(slot, into: &removed)
        } else if entries.count == limit, let slot = entries.oldest {
            take(slot, into: &removed)
        }
        let entry = Entry(key: key, value: value, call: call, since: latest ?? instant)
        ages.append(entries.insert(key, entry))
        return (removed, known)
    }

    /// Forgets one answer, and that of each call under way for it.
    mutating func invalidate(_ key: Key) -> Entry? {
        calls.invalidate(key)
        var removed: [Entry] = []
        if let slot = entries.slot(of: key) { take(slot, into: &removed) }
        return removed.first
    }

    /// Forgets all answers, and those of all calls under way.
    mutating func invalidateAll() -> [Entry] {
        calls.invalidateAll()
        var removed: [Entry] = []
        while let slot = ages.first { take(slot, into: &removed) }
        return removed
    }

    /// Takes out what has expired; amortised over the calls, constant time.
    ///
    /// All live equally long, so those that were kept first expire first. An instant that lies back, as
    /// seen by a thread that was late, counts as the latest.
    private mutating func expire(at instant: SchedulerInstant) -> [Entry] {
        let now = latest.map { max($0, instant) } ?? instant
        latest = now
        var removed: [Entry] = []
        while let slot = ages.first, let entry = entries[slot]?.value,
            entry.since.duration(to: now) >= timeToLive
        {
            take(slot, into: &removed)
        }
        return removed
    }

    /// Empties a slot.
    private mutating func take(_ slot: Int, into removed: inout [Entry]) {
        ages.remove(slot)
        if let entry = entries.remove(slot)?.value { removed.append(entry) }
    }
}
