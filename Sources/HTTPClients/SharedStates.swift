import Futures
import HTTPNetworking
import Services

/// The state that the calls of a client share, with whole and with streamed responses.
struct SharedStates: Sendable {
    let breakers = StatesByOrigin<CircuitBreaker>()
    let bulkheads = StatesByOrigin<Bulkhead>()
    let limiters = StatesByOrigin<RateLimiter>()
    private let budgets = BudgetsByOrigin()
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
        return budgets.budget(of: origin, keeping: limit) { make(retry.budget, of: origin) }
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

/// The retry budget of each origin.
///
/// A further origin replaces the one that was not called for longest and has lost nothing of its budget; a few are
/// asked. If none has, the further origins share a budget.
final class BudgetsByOrigin: Sendable {
    private struct State {
        var budgets = LRUTable<HTTPOrigin?, RetryBudget>()
        var others: RetryBudget?
    }

    private let state = Locked(State())

    /// The budget of an origin: the existing one, or a new one.
    ///
    /// - Parameters:
    ///   - limit: How many origins have a budget of their own.
    ///   - make: Makes a new one; no lock is held.
    func budget(
        of origin: HTTPOrigin?, keeping limit: Int, _ make: () -> RetryBudget
    ) -> RetryBudget {
        if let budget = state.withLock({ $0.budgets.use(origin) }) { return budget }
        let budget = make()
        return state.withLock { state in
            // Another thread may have been first.
            if let known = state.budgets.use(origin) { return known }
            if state.budgets.count >= limit, !state.budgets.removeIdle() {
                let others = state.others ?? budget
                state.others = others
                return others
            }
            state.budgets.insert(origin, budget)
            return budget
        }
    }
}

extension LRUTable<HTTPOrigin?, RetryBudget> {
    /// The value of a key, which counts as used now.
    fileprivate mutating func use(_ key: Key) -> Value? {
        guard let slot = slot(of: key) else { return nil }
        use(slot)
        return self[slot]?.value
    }

    /// - Returns: Whether one of the oldest was idle, and has been removed.
    fileprivate mutating func removeIdle() -> Bool {
        for _ in 0..<8 {
            guard let slot = oldest, let (_, budget) = self[slot] else { return false }
            if budget.isIdle { return remove(slot) != nil }
            use(slot)
        }
        return false
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
