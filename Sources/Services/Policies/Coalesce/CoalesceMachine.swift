/// Who waits for which shared call.
///
/// A key has no call. Next: `calling`, by the first to enter. From there: no call again, as soon as the
/// call ends or the last caller leaves; or calling anew, for the callers who may go on.
///
/// Nothing that was passed in is released here: the holder of the lock gets it back, to release it
/// later.
struct CoalesceMachine<Key: Hashable, Caller, Call> {
    /// What a caller finds.
    enum Entry {
        /// No call has this key: the caller makes this call, and counts until it ends, or until it
        /// is seated.
        case first(call: Int)
        /// The caller waits for a call that is under way, which so many share now.
        case joined(Caller, number: Int, callers: Int)
    }

    /// What has been taken out.
    struct Removed {
        /// Those who waited, in the order in which they came.
        var callers: [Caller] = []
        /// The key, if no call has it any more.
        var key: Key?
        /// The call that has no caller left.
        var call: Call?
    }

    private struct Flight {
        /// The call that is under way.
        var number: Int
        /// What it is cancelled by, once that is known.
        var call: Call?
        /// What it sends, where its first caller wants to know.
        var record: CallRecord?
        /// Whether the first caller is still on its way through the service, and has no number yet.
        var isBeginning = true
        var callers: [Int: Caller] = [:]

        var count: Int { callers.count + (isBeginning ? 1 : 0) }
    }

    private var flights: [Key: Flight] = [:]
    private var lastCall = 0
    private var lastCaller = 0

    /// How many calls are under way.
    var count: Int { flights.count }

    /// Comes with a key.
    mutating func enter(_ key: Key, _ caller: @autoclosure () -> Caller) -> Entry {
        // In place, so that the key is hashed once.
        Self.enter(&flights[key], &lastCall, &lastCaller, caller)
    }

    private static func enter(
        _ flight: inout Flight?, _ lastCall: inout Int, _ lastCaller: inout Int,
        _ caller: () -> Caller
    ) -> Entry {
        guard flight != nil else {
            lastCall += 1
            flight = Flight(number: lastCall)
            return .first(call: lastCall)
        }
        let caller = caller()
        lastCaller += 1
        flight?.callers[lastCaller] = caller
        return .joined(caller, number: lastCaller, callers: flight?.count ?? 0)
    }

    /// The record of what a call sends, for a caller who has just come; the first one's is new.
    mutating func record(of entry: Entry, _ key: Key) -> CallRecord? {
        guard let index = flights.index(forKey: key) else { return nil }
        if case .first = entry { flights.values[index].record = CallRecord() }
        return flights.values[index].record
    }

    /// Gives the first caller a number, since its call did not end at once.
    mutating func seat(_ caller: Caller, _ key: Key, call number: Int) -> Int {
        guard let index = index(of: key, call: number) else {
            preconditionFailure("a call stays until its first caller is seated")
        }
        lastCaller += 1
        flights.values[index].callers[lastCaller] = caller
        flights.values[index].isBeginning = false
        return lastCaller
    }

    /// Keeps what a call is cancelled by.
    ///
    /// - Returns: False if the call is not wanted any more, or has ended.
    mutating func keep(_ call: Call, _ key: Key, call number: Int) -> Bool {
        guard let index = index(of: key, call: number) else { return false }
        flights.values[index].call = call
        return true
    }

    /// Goes away before the call has ended; the last to go takes the call along.
    mutating func leave(_ key: Key, caller number: Int) -> Removed {
        guard let index = flights.index(forKey: key),
            let caller = flights.values[index].callers.removeValue(forKey: number)
        else { return Removed() }
        guard flights.values[index].count == 0 else { return Removed(callers: [caller]) }
        let (key, flight) = flights.remove(at: index)
        return Removed(callers: [caller], key: key, call: flight.call)
    }

    /// Ends a call: its result is for the callers that are removed.
    mutating func end(_ key: Key, call number: Int) -> Removed {
        guard let index = index(of: key, call: number) else { return Removed() }
        let (key, flight) = flights.remove(at: index)
        guard !flight.callers.isEmpty else { return Removed(key: key, call: flight.call) }
        let callers = flight.callers.sorted { $0.key < $1.key }.map(\.value)
        return Removed(callers: callers, key: key, call: flight.call)
    }

    /// Those who wait for a call, by their numbers.
    func callers(_ key: Key, call number: Int) -> [Int: Caller] {
        index(of: key, call: number).map { flights.values[$0].callers } ?? [:]
    }

    /// Ends a call for some of its callers; the others are to get another.
    ///
    /// - Returns: The number of the other call, nil if no caller is left that wants one.
    mutating func renew(
        _ key: Key, call number: Int, endingFor ended: [Int]
    ) -> (call: Int?, removed: Removed) {
        guard let index = index(of: key, call: number) else { return (nil, Removed()) }
        var removed = Removed()
        for caller in ended.sorted() {
            guard let caller = flights.values[index].callers.removeValue(forKey: caller) else {
                continue
            }
            removed.callers.append(caller)
        }
        removed.call = flights.values[index].call
        guard !flights.values[index].callers.isEmpty else {
            removed.key = flights.remove(at: index).key
            return (nil, removed)
        }
        lastCall += 1
        flights.values[index].number = lastCall
        flights.values[index].call = nil
        return (lastCall, removed)
    }

    private func index(of key: Key, call number: Int) -> Dictionary<Key, Flight>.Index? {
        guard let index = flights.index(forKey: key), flights.values[index].number == number else {
            return nil
        }
        return index
    }
}
