import Futures

/// The answers that are kept, and the calls that may add to them.
///
/// A key has no answer. Next: kept, when a call for it succeeds. From there: kept anew, or no answer
/// again, once it has expired, is invalidated, or has to make room.
///
/// Nothing that was kept is let go here: whoever holds the lock gets it back, to release it later.
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

    /// The calls for one key that are under way.
    private struct Calls {
        var count = 0
        /// Calls with a lower number were begun before the key was invalidated.
        var first = 0
    }

    private let timeToLive: Duration
    private let limit: Int

    private var slots: [Key: Int] = [:]
    private var entries: [Entry?] = []
    private var free: [Int] = []
    /// The slots, those unused for longest first.
    private var uses = SlotOrder()
    /// The slots, those that expire first, first.
    private var ages = SlotOrder()

    private var calls: [Key: Calls] = [:]
    private var lastCall = 0
    /// Calls up to this one were begun before all was invalidated.
    private var lastInvalid = 0
    /// The latest instant at which anything was asked.
    private var latest: SchedulerInstant?

    init(timeToLive: Duration, limit: Int) {
        self.timeToLive = timeToLive
        self.limit = limit
    }

    /// How many answers are kept that have not expired.
    mutating func count(at instant: SchedulerInstant) -> (Int, removed: [Entry]) {
        let removed = expire(at: instant)
        return (slots.count, removed)
    }

    /// Asks for an answer.
    mutating func look(
        up key: Key, at instant: SchedulerInstant
    ) -> (answer: Answer, removed: [Entry]) {
        let removed = expire(at: instant)
        if let slot = slots[key], let entry = entries[slot] {
            uses.remove(slot)
            uses.append(slot)
            return (.hit(entry.value), removed)
        }
        lastCall += 1
        calls[key, default: Calls()].count += 1
        return (.miss(call: lastCall), removed)
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
        guard let index = calls.index(forKey: key) else { return (removed, nil) }
        let isValid = call >= calls.values[index].first && call > lastInvalid
        calls.values[index].count -= 1
        let known = calls.values[index].count == 0 ? calls.remove(at: index).key : nil
        guard isValid, let value else { return (removed, known) }
        if let slot = slots[key], let entry = entries[slot] {
            if entry.call > call { return (removed, known) }
            removed.append(entry)
            take(slot)
        } else if slots.count == limit, let slot = uses.first {
            if let entry = entries[slot] { removed.append(entry) }
            take(slot)
        }
        put(Entry(key: key, value: value, call: call, since: latest ?? instant))
        return (removed, known)
    }

    /// Forgets one answer, and that of each call under way for it.
    mutating func invalidate(_ key: Key) -> Entry? {
        if let index = calls.index(forKey: key) { calls.values[index].first = lastCall + 1 }
        guard let slot = slots[key] else { return nil }
        let entry = entries[slot]
        take(slot)
        return entry
    }

    /// Forgets all answers, and those of all calls under way.
    mutating func invalidateAll() -> [Entry] {
        lastInvalid = lastCall
        var removed: [Entry] = []
        while let slot = ages.first {
            if let entry = entries[slot] { removed.append(entry) }
            take(slot)
        }
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
        while let slot = ages.first, let entry = entries[slot],
            entry.since.duration(to: now) >= timeToLive
        {
            removed.append(entry)
            take(slot)
        }
        return removed
    }

    private mutating func put(_ entry: Entry) {
        let slot = free.popLast() ?? entries.count
        if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
        slots[entry.key] = slot
        uses.append(slot)
        ages.append(slot)
    }

    /// Empties a slot whose entry the caller has.
    private mutating func take(_ slot: Int) {
        guard let entry = entries[slot] else { return }
        slots[entry.key] = nil
        entries[slot] = nil
        uses.remove(slot)
        ages.remove(slot)
        free.append(slot)
    }
}
