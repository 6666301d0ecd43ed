import Futures
import HTTPNetworking
import Services

/// The state that the calls of a client share, with whole and with streamed responses.
struct SharedStates: Sendable {
    let breakers = StatesByOrigin<CircuitBreaker>()
    let bulkheads = StatesByOrigin<Bulkhead>()
    private let budgets = LastStatesByOrigin<RetryBudget>()
    private let hedgings = StatesByOrigin<Hedging>()
    private let scheduler: any Scheduler
    private let random: RandomSource

    init(of client: HTTPClient) {
        scheduler = client.scheduler
        random = client.random
    }

    /// Makes a state by a slot.
    func make<State>(_ slot: HTTPClient.OriginState<State>, of origin: HTTPOrigin?) -> State {
        slot.make(
            .init(
                name: origin?.description ?? "no origin", scheduler: scheduler, random: random))
    }

    func budget(of origin: HTTPOrigin?, by retry: HTTPClient.Retry) -> RetryBudget {
        guard let limit = retry.budget.limit else { return make(retry.budget, of: origin) }
        return budgets.state(of: origin, keeping: limit) { make(retry.budget, of: origin) }
    }

    /// The delay of hedges, and their budgets, one of which is that of the retries.
    func hedging(
        of origin: HTTPOrigin?, by hedge: HTTPClient.Hedge, _ retry: HTTPClient.Retry?
    ) -> Hedging {
        hedgings.state(of: origin) {
            let budget = retry.map { self.budget(of: origin, by: $0) }
            guard let delay = hedge.delay else {
                return Hedging(maxExtraLoad: hedge.maxExtraLoad, sharing: budget, on: scheduler)
            }
            return Hedging(
                after: delay, maxExtraLoad: hedge.maxExtraLoad, sharing: budget, on: scheduler)
        }
    }
}

/// A state for each of the origins that were called last.
final class LastStatesByOrigin<State: Sendable>: Sendable {
    private let states = Locked(LRUTable<HTTPOrigin?, State>())

    /// The state of an origin: the existing one, or a new one.
    ///
    /// - Parameters:
    ///   - limit: How many origins have a state.
    ///   - make: Makes a new one; no lock is held.
    func state(of origin: HTTPOrigin?, keeping limit: Int, _ make: () -> State) -> State {
        if let state = states.withLock({ $0.use(origin) }) { return state }
        let state = make()
        return states.withLockThenReleaseRest { states -> (State, State?) in
            // Another thread may have been first.
            if let known = states.use(origin) { return (known, nil) }
            let last = states.count >= limit ? states.oldest.flatMap { states.remove($0) } : nil
            states.insert(origin, state)
            return (state, last?.value)
        }
    }
}

extension LRUTable {
    /// The value of a key, which counts as used now.
    fileprivate mutating func use(_ key: Key) -> Value? {
        guard let slot = slot(of: key) else { return nil }
        use(slot)
        return self[slot]?.value
    }
}

/// A state for each origin, kept as long as something references it.
///
/// Each of a client's two stacks keeps the states of the origins that it calls, and finds those of the other
/// here.
final class StatesByOrigin<State: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var state: State?
    }

    private let entries = Locked([HTTPOrigin?: Entry]())

    /// The state of an origin: the existing one, or a new one.
    ///
    /// - Parameter make: Makes a new one; no lock is held.
    func state(of origin: HTTPOrigin?, _ make: () -> State) -> State {
        if let state = entries.withLock({ $0[origin]?.state }) { return state }
        let state = make()
        return entries.withLock { entries in
            // Another thread may have been first.
            if let known = entries[origin]?.state { return known }
            // Removes entries without a state when the table would grow.
            if entries.count == entries.capacity {
                entries = entries.filter { $0.value.state != nil }
            }
            entries[origin] = Entry(state: state)
            return state
        }
    }
}
