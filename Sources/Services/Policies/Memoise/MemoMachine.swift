import PledgeFutures

/// The answers that are kept, and the calls that may add to them.
///
/// A key has no answer. Next: kept, when a call for it succeeds. Then: replaced, or no answer again, when it
/// has expired, is invalidated, or is evicted.
///
/// Stored objects are not released here: they are returned to the holder of the lock, which releases them
/// later.
struct MemoMachine<Key: Hashable, Value> {
    /// One answer.
    struct Entry {
        let key: Key
        let value: Value
        /// The number of its call.
        let call: Int
        let since: SchedulerInstant
    }

    /// The answer to a caller.
    enum Answer {
        case hit(Value)
        /// The caller has to call the service, and to report the end with this number; no call that began
        /// before the era may answer it.
        case miss(call: Int, since: Era)
    }

    private let timeToLive: Duration
    private let limit: Int

    private var entries = LRUTable<Key, Entry>()
    /// The slots in order of their expiry.
    private var ages = SlotOrder()

    private var calls = CallValidity<Key>()
    private var invalidations: Invalidations<Key>
    /// The latest instant of any operation.
    private var latest: SchedulerInstant?

    init(timeToLive: Duration, limit: Int) {
        self.timeToLive = timeToLive
        self.limit = limit
        invalidations = Invalidations(limit: max(limit, 100))
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
        return (.miss(call: calls.start(key), since: lastInvalidation(of: key)), removed)
    }

    /// When a key was last invalidated.
    func lastInvalidation(of key: Key) -> Era { invalidations.last(of: key) }

    /// Ends a call; its value, if it has one, is kept from now on.
    ///
    /// The value is not kept if the key was invalidated since the call began, or if the answer of a later
    /// call is stored already.
    ///
    /// - Returns: The removed objects, and the key as it was stored.
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

    /// Discards one answer, and does not keep those of calls under way for it.
    ///
    /// - Returns: The removed objects, and the key that is no longer known as invalidated.
    mutating func invalidate(_ key: Key, in era: Era) -> (removed: Entry?, key: Key?) {
        calls.invalidate(key)
        let forgotten = invalidations.invalidate(key, in: era)
        var removed: [Entry] = []
        if let slot = entries.slot(of: key) { take(slot, into: &removed) }
        return (removed.first, forgotten)
    }

    /// Discards all answers, and does not keep those of calls under way.
    ///
    /// - Returns: The removed objects, and the keys that were known as invalidated.
    mutating func invalidateAll(in era: Era) -> (removed: [Entry], keys: LRUTable<Key, Era>) {
        calls.invalidateAll()
        let forgotten = invalidations.invalidateAll(in: era)
        var removed: [Entry] = []
        while let slot = ages.first { take(slot, into: &removed) }
        return (removed, forgotten)
    }

    /// Removes expired answers, in amortised constant time.
    ///
    /// All have the same time to live, so they expire in the order in which they were stored. An earlier
    /// instant, from a thread that is late, counts as the latest.
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
