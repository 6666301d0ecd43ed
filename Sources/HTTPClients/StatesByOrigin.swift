import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import Synchronization

/// The states of the origins, one for each.
///
/// A client's stack for whole responses and its stack for streamed responses share these states, and so do copies of
/// the client.
///
/// If a slot changes in one copy, that copy gets new states. When the limit of origins is reached, a new origin
/// replaces an idle one. Only the eight least recently used origins are checked. If none of these is idle, the new
/// origin gets a state that isn't kept; for retry budgets, all such origins share one state. If a replaced origin is
/// called again while a stack still uses its old state, the origin gets that state back.
final class StatesByOrigin<State: AnyObject & Sendable>: Sendable {
    private struct Used {
        weak var state: State?
    }

    private struct Table {
        var kept = LRUTable<HTTPOrigin?, State>()
        /// All states that somebody still uses, including those of replaced origins.
        var used: [HTTPOrigin?: Used] = [:]
        /// The state that all origins beyond the limit share.
        var others: State?

        /// Returns the state of an origin, and marks it as just used.
        mutating func use(_ origin: HTTPOrigin?) -> State? {
            guard let slot = kept.slot(of: origin) else { return used[origin]?.state }
            kept.use(slot)
            return kept[slot]?.value
        }

        mutating func add(_ state: State, of origin: HTTPOrigin?) {
            // If the dictionary would have to grow, entries whose state no longer exists are removed first.
            if used.count == used.capacity { used = used.filter { $0.value.state != nil } }
            used[origin] = Used(state: state)
            kept.insert(origin, state)
        }

        /// Removes one idle state, if there is one among the eight least recently used states.
        ///
        /// - Returns: True if a state was removed.
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

    /// Returns the existing state of an origin, or a new one.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of origins whose state is kept.
    ///   - make: Creates a new state. Called while no lock is held.
    func state(of origin: HTTPOrigin?, keeping limit: Int, _ make: () -> State) -> State {
        if let state = table.withLock({ $0.use(origin) }) { return state }
        let state = make()
        return table.withLock { table in
            // Another thread may have added the origin's state meanwhile.
            if let known = table.use(origin) { return known }
            if table.kept.count >= limit,
                !table.removeIdle({ ($0 as? any RenewablePolicy)?.isIdle ?? false })
            {
                // Otherwise each of these origins would bring a budget of its own.
                guard State.self == RetryBudget.self else { return state }
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
