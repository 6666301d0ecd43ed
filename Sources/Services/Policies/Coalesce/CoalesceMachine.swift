/// The shared calls and their waiting callers.
///
/// A key has no call. Next: `calling`, by the first to enter. From there: no call again, when the call ends
/// or the last caller leaves; or calling again, for the callers with time left.
///
/// Objects that were passed in are not released here: they are returned to the holder of the lock, which
/// releases them later.
struct CoalesceMachine<Key: Hashable, Caller, Call> {
    /// The answer to a caller.
    enum Entry {
        /// No call has this key: the caller makes this call, and counts as its caller until it ends, or until
        /// it is seated.
        case first(call: Int)
        /// The caller waits for a call under way, which this number of callers share now.
        case joined(Caller, number: Int, callers: Int)
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
        /// The handle that cancels it, once it is known.
        var call: Call?
        /// The record of what it sends, if its first caller has one.
        var record: CallRecord?
        /// Whether the first caller is still calling the service, and has no number yet.
        var isBeginning = true
        var callers: [Int: Caller] = [:]

        var count: Int { callers.count + (isBeginning ? 1 : 0) }
    }

    private var flights: [Key: Flight] = [:]
    private var lastCall = 0
    private var lastCaller = 0

    /// How many calls are under way.
    var count: Int { flights.count }

    /// Enters a caller with a key.
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

    /// The record of what a call sends, for a caller that has just entered; the first caller's is new.
    mutating func record(of entry: Entry, _ key: Key) -> CallRecord? {
        guard let index = flights.index(forKey: key) else { return nil }
        if case .first = entry { flights.values[index].record = CallRecord() }
        return flights.values[index].record
    }

    /// Whether a call under way is for users of whom one has signed out.
    func isOver(_ key: Key) -> Bool { flights[key]?.record?.users?.isOver ?? false }

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

    /// Keeps the handle that cancels a call.
    ///
    /// - Returns: False if the call is not wanted any more, or has ended.
    mutating func keep(_ call: Call, _ key: Key, call number: Int) -> Bool {
        guard let index = index(of: key, call: number) else { return false }
        flights.values[index].call = call
        return true
    }

    /// Removes a caller before the call has ended; with the last one the call is removed.
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

    /// The callers that wait for a call, by their numbers.
    func callers(_ key: Key, call number: Int) -> [Int: Caller] {
        index(of: key, call: number).map { flights.values[$0].callers } ?? [:]
    }

    /// Ends a call for some of its callers; the others get another one.
    ///
    /// - Returns: The number of the other call, nil if no caller is left.
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
