import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// A state for each origin: that of the client's two stacks, of its unchanged copies, and of those in which another slot was
/// changed.
///
/// A further origin replaces the one that was asked for longest ago and is idle; a few are asked. If none is, the further
/// origins share a state, or each has one that is not kept. What a stack still uses is found again, though it was replaced.
final class StatesByOrigin<State: AnyObject & Sendable>: Sendable {
    private struct Used {
        weak var state: State?
    }

    private struct Table {
        var kept = LRUTable<HTTPOrigin?, State>()
        /// Those that were made, replaced ones included.
        var used: [HTTPOrigin?: Used] = [:]
        /// That of the origins without room.
        var others: State?

        /// The state of an origin, which counts as used now.
        mutating func use(_ origin: HTTPOrigin?) -> State? {
            guard let slot = kept.slot(of: origin) else { return used[origin]?.state }
            kept.use(slot)
            return kept[slot]?.value
        }

        mutating func add(_ state: State, of origin: HTTPOrigin?) {
            // Removes entries without a state when the table would grow.
            if used.count == used.capacity { used = used.filter { $0.value.state != nil } }
            used[origin] = Used(state: state)
            kept.insert(origin, state)
        }

        /// - Returns: Whether one of the oldest was idle, and has been removed.
        mutating func removeIdle(_ isIdle: (State) -> Bool) -> Bool {
            for _ in 0..<8 {
                guard let slot = kept.oldest, let (_, state) = kept[slot] else { return false }
                if isIdle(state) { return kept.remove(slot) != nil }
                kept.use(slot)
            }
            return false
        }
    }

    private let table = Locked(Table())
    private let sharesOthers: Bool
    private let isIdle: @Sendable (State) -> Bool

    /// - Parameters:
    ///   - sharesOthers: Whether origins without room share a state.
    ///   - isIdle: Whether nothing is lost with a state.
    init(sharesOthers: Bool = false, isIdle: @escaping @Sendable (State) -> Bool) {
        self.sharesOthers = sharesOthers
        self.isIdle = isIdle
    }

    /// The state of an origin: the existing one, or a new one.
    ///
    /// - Parameters:
    ///   - limit: How many origins have a state that is kept.
    ///   - make: Makes a new one; no lock is held.
    func state(of origin: HTTPOrigin?, keeping limit: Int, _ make: () -> State) -> State {
        if let state = table.withLock({ $0.use(origin) }) { return state }
        let state = make()
        return table.withLock { table in
            // Another thread may have been first.
            if let known = table.use(origin) { return known }
            if table.kept.count >= limit, !table.removeIdle(isIdle) {
                guard sharesOthers else { return state }
                let others = table.others ?? state
                table.others = others
                return others
            }
            table.add(state, of: origin)
            return state
        }
    }

    /// The origins with a state, and their states.
    var all: [(origin: HTTPOrigin?, state: State)] {
        table.withLock { table in
            table.used.compactMap { origin, used in used.state.map { (origin, $0) } }
        }
    }
}

extension StatesByOrigin<RetryBudget> {
    convenience init() { self.init(sharesOthers: true) { $0.isIdle } }
}

extension StatesByOrigin<Hedging> {
    /// Without its latencies, a hedge begins later.
    convenience init() { self.init { _ in true } }
}

extension StatesByOrigin<CircuitBreaker> {
    convenience init() { self.init { $0.isIdle } }
}

extension StatesByOrigin<Bulkhead> {
    convenience init() { self.init { $0.isIdle } }
}

extension StatesByOrigin<RateLimiter> {
    convenience init() { self.init { $0.isIdle } }
}

extension StatesByOrigin<Pushback> {
    convenience init() { self.init { $0.isIdle } }
}
