import Futures
import HTTPNetworking
import Services

/// The state that the calls of a client share, with whole and with streamed responses.
struct SharedStates: Sendable {
    let budget: RetryBudget
    let hedging: Hedging?
    let breakers = StatesByOrigin<CircuitBreaker>()
    let bulkheads = StatesByOrigin<Bulkhead>()

    init(of client: HTTPClient) {
        let budget = client.retry?.budget ?? RetryBudget(on: client.scheduler)
        self.budget = budget
        hedging = client.hedge.map { hedge in
            if let delay = hedge.delay {
                return Hedging(
                    after: delay, maxExtraLoad: hedge.maxExtraLoad, sharing: budget,
                    on: client.scheduler)
            }
            return Hedging(
                maxExtraLoad: hedge.maxExtraLoad, sharing: budget, on: client.scheduler)
        }
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
