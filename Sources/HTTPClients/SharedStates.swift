import Futures
import HTTPNetworking
import Services

/// What the calls of a client share, of whole responses and of those on their way.
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

/// A state for each origin, kept as long as it has a reference.
///
/// The two stacks of a client each keep the states of the origins that they call, and find here those of the other.
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
            // Another thread may have come first.
            if let known = entries[origin]?.state { return known }
            // Grown to twice what is in use, as a new entry is about to be added.
            if entries.count == entries.capacity {
                entries = entries.filter { $0.value.state != nil }
            }
            entries[origin] = Entry(state: state)
            return state
        }
    }
}
