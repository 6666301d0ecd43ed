/// The shared calls and their waiting callers.
///
/// A key has no call. Next: calling, by the first to enter. From there: no call again, when the call ends
/// or the last caller leaves; or calling again, for the callers with time left. A call that began before an
/// invalidation is past: it goes on for its callers, and the next to enter is first again.
///
/// Objects that were passed in are not released here: they are returned to the holder of the lock, which
/// releases them later.
struct CoalesceMachine<Key: Hashable, Caller, Call> {
    /// The answer to a caller.
    enum Entry {
        /// No call has this key: the caller makes this call, and counts as its caller until it ends, or until
        /// it is seated.
        case first(call: Int, CallNotes)
        /// The caller waits for a call under way, which this number of callers share now.
        case joined(Caller, number: Int, callers: Int, CallNotes)
    }

    /// The removed objects.
    struct Removed {
        /// The waiting callers, in the order in which they came.
        var callers: [Caller] = []
        /// The key, if no call has it any more.
        var key: Key?
        /// The call that has no caller left.
        var call: Call?
    }

    private struct Flight {
        /// The call that is under way.
        var number: Int
        /// The era in which it began.
        var era: Era
        let notes: CallNotes
        /// The handle that cancels and raises it, once it is known.
        var call: Call?
        /// The highest priority of a task that awaits it.
        var raised: TaskPriority?
        /// Whether the first caller is still calling the service, and has no number yet.
        var isBeginning = true
        var callers: [Int: Caller] = [:]

        var count: Int { callers.count + (isBeginning ? 1 : 0) }
    }

    /// The calls with one key.
    private struct Flights {
        /// The one that new callers share.
        var current: Flight?
        /// Those that began before an invalidation.
        var past: [Flight] = []

        /// Lets nobody else share the present call.
        mutating func close() {
            if let flight = current.take() { past.append(flight) }
        }
    }

    /// The place of a call.
    private struct Place {
        let index: Dictionary<Key, Flights>.Index
        /// Nil: it is the current one.
        var past: Int?
    }

    private var flights: [Key: Flights] = [:]
    private var changes = Invalidations<AnyHashable>(limit: 1_000)
    private var lastCall = 0
    private var lastCaller = 0

    /// How many calls are under way.
    private(set) var count = 0

    /// Enters a caller with a key.
    ///
    /// - Parameters:
    ///   - since: A call that began before this era is not shared.
    ///   - era: The present one.
    ///   - notes: Makes the notes of a new call.
    mutating func enter(
        _ key: Key, since: Era = .first, in era: Era = .first,
        notes: @autoclosure () -> CallNotes = CallNotes(), _ caller: @autoclosure () -> Caller
    ) -> Entry {
        // In place, so that the key is hashed once.
        let entry = Self.enter(
            &flights[key, default: Flights()], &lastCall, &lastCaller, since, era, notes, caller)
        if case .first = entry { count += 1 }
        return entry
    }

    private static func enter(
        _ flights: inout Flights, _ lastCall: inout Int, _ lastCaller: inout Int,
        _ since: Era, _ era: Era, _ notes: () -> CallNotes, _ caller: () -> Caller
    ) -> Entry {
        if let began = flights.current?.era, began < since { flights.close() }
        guard let known = flights.current?.notes else {
            let notes = notes()
            lastCall += 1
            flights.current = Flight(number: lastCall, era: era, notes: notes)
            return .first(call: lastCall, notes)
        }
        let caller = caller()
        lastCaller += 1
        flights.current?.callers[lastCaller] = caller
        let count = flights.current?.count ?? 0
        return .joined(caller, number: lastCaller, callers: count, known)
    }

    /// The notes of the call that new callers share.
    func notes(_ key: Key) -> CallNotes? { flights[key]?.current?.notes }

    /// Whether a call under way is for users of whom one has signed out.
    func isOver(_ key: Key) -> Bool { notes(key)?.record?.users?.isOver ?? false }

    /// Gives the first caller a number, since its call did not end at once.
    mutating func seat(_ caller: Caller, _ key: Key, call number: Int) -> Int {
        guard let place = place(of: key, call: number) else {
            preconditionFailure("a call stays until its first caller is seated")
        }
        lastCaller += 1
        self[place].callers[lastCaller] = caller
        self[place].isBeginning = false
        return lastCaller
    }

    /// Keeps the handle that cancels and raises a call.
    ///
    /// - Returns: Whether the call is still wanted; and the priority that it has to be raised to.
    mutating func keep(
        _ call: Call, _ key: Key, call number: Int
    ) -> (isWanted: Bool, raised: TaskPriority?) {
        guard let place = place(of: key, call: number) else { return (false, nil) }
        self[place].call = call
        return (true, self[place].raised)
    }

    /// Notes that a task awaits a caller's answer.
    ///
    /// - Returns: The call to raise; nil if it has no handle yet.
    mutating func raise(_ key: Key, caller number: Int, to priority: TaskPriority) -> Call? {
        guard let place = place(of: key, caller: number) else { return nil }
        self[place].raised = max(self[place].raised ?? priority, priority)
        return self[place].call
    }

    /// Removes a caller before the call has ended; with the last one the call is removed.
    mutating func leave(_ key: Key, caller number: Int) -> Removed {
        guard let place = place(of: key, caller: number),
            let caller = self[place].callers.removeValue(forKey: number)
        else { return Removed() }
        guard self[place].count == 0 else { return Removed(callers: [caller]) }
        let (key, flight) = remove(place)
        return Removed(callers: [caller], key: key, call: flight?.call)
    }

    /// Ends a call: its result is for the callers that are removed.
    mutating func end(_ key: Key, call number: Int) -> Removed {
        guard let place = place(of: key, call: number) else { return Removed() }
        let (key, flight) = remove(place)
        guard let flight, !flight.callers.isEmpty else {
            return Removed(key: key, call: flight?.call)
        }
        let callers = flight.callers.sorted { $0.key < $1.key }.map(\.value)
        return Removed(callers: callers, key: key, call: flight.call)
    }

    /// The callers that wait for a call, by their numbers.
    func callers(_ key: Key, call number: Int) -> [Int: Caller] {
        place(of: key, call: number).map { self[$0].callers } ?? [:]
    }

    /// Ends a call for some of its callers; the others get another one.
    ///
    /// - Parameter era: The present one.
    /// - Returns: The number of the other call, nil if no caller is left.
    mutating func renew(
        _ key: Key, call number: Int, endingFor ended: [Int], in era: Era = .first
    ) -> (call: Int?, removed: Removed) {
        guard let place = place(of: key, call: number) else { return (nil, Removed()) }
        var removed = Removed()
        for caller in ended.sorted() {
            guard let caller = self[place].callers.removeValue(forKey: caller) else { continue }
            removed.callers.append(caller)
        }
        removed.call = self[place].call
        guard !self[place].callers.isEmpty else {
            removed.key = remove(place).key
            return (nil, removed)
        }
        lastCall += 1
        self[place].number = lastCall
        self[place].era = era
        self[place].call = nil
        return (lastCall, removed)
    }
}

// MARK: - Invalidating

extension CoalesceMachine {
    /// Lets no later caller share the call under way with a key.
    ///
    /// - Parameter shared: The call that is meant, since there may be a newer one; nil for any.
    mutating func invalidate(_ key: Key, _ shared: SharedCall? = nil) {
        guard let index = flights.index(forKey: key) else { return }
        if let shared, flights.values[index].current?.notes.shared !== shared { return }
        flights.values[index].close()
    }

    /// Lets no later caller share a call under way.
    mutating func invalidateAll() {
        for index in flights.indices { flights.values[index].close() }
    }

    /// Notes that what some calls ask about has changed: no later caller with the subject shares one of them.
    mutating func change(_ subject: AnyHashable, in era: Era) {
        if count > 0 { _ = changes.invalidate(subject, in: era) }
    }

    /// When a subject last changed, as far as calls under way may have begun before.
    func lastChange(of subject: @autoclosure () -> AnyHashable?) -> Era {
        if changes.isEmpty { return .first }
        return subject().map { changes.last(of: $0) } ?? .first
    }
}

// MARK: - Places

extension CoalesceMachine {
    private func place(of key: Key, call number: Int) -> Place? {
        guard let index = flights.index(forKey: key) else { return nil }
        if flights.values[index].current?.number == number { return Place(index: index) }
        let past = flights.values[index].past.firstIndex { $0.number == number }
        return past.map { Place(index: index, past: $0) }
    }

    private func place(of key: Key, caller number: Int) -> Place? {
        guard let index = flights.index(forKey: key) else { return nil }
        if flights.values[index].current?.callers[number] != nil { return Place(index: index) }
        let past = flights.values[index].past.firstIndex { $0.callers[number] != nil }
        return past.map { Place(index: index, past: $0) }
    }

    private subscript(place: Place) -> Flight {
        _read {
            if let past = place.past {
                yield flights.values[place.index].past[past]
            } else {
                yield flights.values[place.index].current!
            }
        }
        _modify {
            if let past = place.past {
                yield &flights.values[place.index].past[past]
            } else {
                yield &flights.values[place.index].current!
            }
        }
    }

    /// - Returns: The call, and the key if no call has it any more.
    private mutating func remove(_ place: Place) -> (key: Key?, flight: Flight?) {
        let (index, past) = (place.index, place.past)
        let flight =
            past.map { flights.values[index].past.remove(at: $0) }
            ?? flights.values[index].current.take()
        count -= 1
        // Who comes now shares no call that began before.
        if count == 0, !changes.isEmpty { changes = Invalidations(limit: 1_000) }
        let hasMore =
            flights.values[index].current != nil || !flights.values[index].past.isEmpty
        return (hasMore ? nil : flights.remove(at: index).key, flight)
    }
}

/// What the parts beneath note about a shared call.
struct CallNotes: Sendable {
    /// What it sends, if its first caller has a record or parts of its answer are for one caller alone.
    var record: CallRecord?
    /// What its answer depends on, if there may be memos.
    var shared: SharedCall?
    /// How important it is, if calls may differ in that.
    var priority: SharedPriority?

    var isEmpty: Bool { record == nil && shared == nil && priority == nil }

    /// Adds them to what is noted about the call of a caller.
    func add(to context: CallContext) {
        if let record { context.record?.adopt(record) }
        if let shared { context.sharedCall?.add(shared) }
    }
}
