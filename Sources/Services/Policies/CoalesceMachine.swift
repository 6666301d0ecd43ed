/// The joined calls and their waiting callers.
///
/// At first, a key has no call. When the first caller enters, the key has a call in flight. When that call ends or its
/// last caller leaves, the key has no call again, or it has a new call for the callers with time left. A call that
/// began before an invalidation is a past call. It continues for its callers, but the next caller that enters is a
/// first caller again.
///
/// The machine never releases objects that were passed in, because that could run their own code under the lock. It
/// returns them, and they are released after unlocking.
struct CoalesceMachine<Key: Hashable, Caller, Call> {
    /// The answer to a caller that enters.
    enum Entry {
        /// The key has no call, so this caller makes one.
        ///
        /// The call counts this caller, although it gets a number only if its call doesn't end at once
        /// (``seat(_:_:call:)``).
        case first(call: Int, CallNotes)
        /// The caller waits for a call in flight; `callers` is the number of all callers that share the call now.
        case joined(Caller, number: Int, callers: Int, CallNotes)
    }

    /// The objects that an operation removed, to be released outside the lock.
    struct Removed {
        /// The waiting callers, in the order of their arrival.
        var callers: [Caller] = []
        /// The key, if its last call was removed.
        var key: Key?
        /// The handle of a call that has no callers any more.
        var call: Call?
    }

    private struct Flight {
        var number: Int
        var era: Era
        let notes: CallNotes
        /// The handle to cancel the call or raise its priority; nil until it exists.
        var call: Call?
        /// The highest priority of a task that awaits the call.
        var raised: TaskPriority?
        /// True while the first caller has no number yet, because it is still calling the service.
        var isBeginning = true
        var callers: [Int: Caller] = [:]

        var count: Int { callers.count + (isBeginning ? 1 : 0) }
    }

    private struct Flights {
        /// The call that new callers share.
        var current: Flight?
        /// The calls that began before an invalidation.
        var past: [Flight] = []

        /// Closes the current call to new callers.
        mutating func close() {
            if let flight = current.take() { past.append(flight) }
        }
    }

    /// The position of a call.
    private struct Place {
        let index: Dictionary<Key, Flights>.Index
        /// The call's index in `past`; nil for the current call.
        var past: Int?
    }

    private var flights: [Key: Flights] = [:]
    private var changes = Invalidations<AnyHashable>(limit: 1_000)
    private var lastCall = 0
    private var lastCaller = 0

    /// The number of calls in flight.
    private(set) var count = 0

    /// Enters a caller with a key.
    ///
    /// - Parameters:
    ///   - since: The earliest era in which a call may have begun if this caller is to share it.
    ///   - era: The present era.
    ///   - notes: Creates the notes of a new call.
    mutating func addCaller(
        _ key: Key, since: Era = .first, in era: Era = .first,
        notes: @autoclosure () -> CallNotes = CallNotes(), _ caller: @autoclosure () -> Caller
    ) -> Entry {
        // The entry is changed in place, so that the key is hashed only once.
        let entry = Self.addCaller(
            &flights[key, default: Flights()], &lastCall, &lastCaller, since, era, notes, caller)
        if case .first = entry { count += 1 }
        return entry
    }

    private static func addCaller(
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

    /// Returns the notes of the call that new callers share.
    func notes(_ key: Key) -> CallNotes? { flights[key]?.current?.notes }

    /// Returns whether a user of the current call has signed out.
    func isOver(_ key: Key) -> Bool { notes(key)?.record?.users?.isOver ?? false }

    /// Gives the first caller a number, because its call didn't end at once.
    mutating func seat(_ caller: Caller, _ key: Key, call number: Int) -> Int {
        guard let place = place(of: key, call: number) else {
            preconditionFailure("a call stays until its first caller is seated")
        }
        lastCaller += 1
        self[place].callers[lastCaller] = caller
        self[place].isBeginning = false
        return lastCaller
    }

    /// Stores the handle to cancel a call or raise its priority.
    ///
    /// - Returns: Whether the call is still wanted, and the priority to raise it to.
    mutating func keep(
        _ call: Call, _ key: Key, call number: Int
    ) -> (isWanted: Bool, raised: TaskPriority?) {
        guard let place = place(of: key, call: number) else { return (false, nil) }
        self[place].call = call
        return (true, self[place].raised)
    }

    /// Notes the priority of a task that awaits a caller's answer.
    ///
    /// - Returns: The call to raise to that priority; nil if the call has ended or has no handle yet.
    mutating func raise(_ key: Key, caller number: Int, to priority: TaskPriority) -> Call? {
        guard let place = place(of: key, caller: number) else { return nil }
        self[place].raised = max(self[place].raised ?? priority, priority)
        return self[place].call
    }

    /// Removes a caller before its call has ended; with the last caller, the call is removed too.
    mutating func leave(_ key: Key, caller number: Int) -> Removed {
        guard let place = place(of: key, caller: number),
            let caller = self[place].callers.removeValue(forKey: number)
        else { return Removed() }
        guard self[place].count == 0 else { return Removed(callers: [caller]) }
        let (key, flight) = remove(place)
        return Removed(callers: [caller], key: key, call: flight?.call)
    }

    /// Ends a call and removes its callers, who get the result.
    mutating func endCall(_ key: Key, call number: Int) -> Removed {
        guard let place = place(of: key, call: number) else { return Removed() }
        let (key, flight) = remove(place)
        guard let flight, !flight.callers.isEmpty else {
            return Removed(key: key, call: flight?.call)
        }
        let callers = flight.callers.sorted { $0.key < $1.key }.map(\.value)
        return Removed(callers: callers, key: key, call: flight.call)
    }

    /// Returns the callers that wait for a call, by their numbers.
    func callers(_ key: Key, call number: Int) -> [Int: Caller] {
        place(of: key, call: number).map { self[$0].callers } ?? [:]
    }

    /// Ends a call for some of its callers; the others get a new call.
    ///
    /// - Parameter era: The present era.
    /// - Returns: The number of the new call; nil if no caller is left.
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
    /// Closes the current call of a key to later callers.
    ///
    /// - Parameter call: The call to close. If the current call is another one, it stays open. With nil, the current
    ///   call is closed, whichever it is.
    mutating func invalidate(_ key: Key, _ call: JoinedCall? = nil) {
        guard let index = flights.index(forKey: key) else { return }
        if let call, flights.values[index].current?.notes.joined !== call { return }
        flights.values[index].close()
    }

    /// Closes all current calls to later callers.
    mutating func invalidateAll() {
        for index in flights.indices { flights.values[index].close() }
    }

    /// Stores that a subject has changed: later callers with this subject don't share a call that began earlier.
    mutating func change(_ subject: AnyHashable, in era: Era) {
        if count > 0 { _ = changes.invalidate(subject, in: era) }
    }

    /// Returns the era of a subject's last change.
    ///
    /// If no call in flight began before the change, the change may be forgotten. Then this returns the first era.
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

    /// - Returns: The call, and the key if it has no call any more.
    private mutating func remove(_ place: Place) -> (key: Key?, flight: Flight?) {
        let (index, past) = (place.index, place.past)
        let flight =
            past.map { flights.values[index].past.remove(at: $0) }
            ?? flights.values[index].current.take()
        count -= 1
        // A change matters only to a call in flight that began before it. If no call is in flight, all changes can be
        // forgotten.
        if count == 0, !changes.isEmpty { changes = Invalidations(limit: 1_000) }
        let hasMore =
            flights.values[index].current != nil || !flights.values[index].past.isEmpty
        return (hasMore ? nil : flights.remove(at: index).key, flight)
    }
}

/// The notes that the layers below write about a joined call.
struct CallNotes: Sendable {
    /// The record of what the call sends, if the first caller has a record or the answer has parts for one caller only.
    var record: CallRecord?
    /// The things that the call's answer depends on, if the process has memos.
    var joined: JoinedCall?
    /// The call's priority, if calls may have different priorities.
    var priority: JoinedPriority?

    var isEmpty: Bool { record == nil && joined == nil && priority == nil }

    /// Adds the joined call's record and what it depends on to a caller's own call.
    func add(to context: CallContext) {
        if let record { context.record?.adopt(record) }
        if let joined { context.joinedCall?.add(joined) }
    }
}
