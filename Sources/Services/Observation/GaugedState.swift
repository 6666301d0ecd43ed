/// A policy's state with numbers that metrics can show, such as the calls in flight in a bulkhead.
///
/// All states of this package are such states: pass them to `ServiceMetrics.watch(_:)`.
public protocol GaugedState: AnyObject, Sendable {}

/// The numbers of a state, and the labels for them.
package protocol StateNumbers: GaugedState {
    /// The kind of policy, for the label `policy`.
    static var policy: String { get }

    /// The name, for the label `policy_name`; nil if the state has none.
    var name: String? { get }

    /// The state's current numbers.
    ///
    /// The metrics read them for each scrape, on any thread, while no lock is held.
    var gauges: [StateGauge: Double] { get }
}

/// The meaning of a state's number.
package enum StateGauge: String, Hashable, Sendable, CaseIterable {
    /// The number of calls that are running.
    case inFlight = "in_flight"
    /// The number of calls that wait.
    case queued
    /// The largest number of calls that may be in flight.
    case limit
    /// The number of retries that a budget allows now.
    case balance
    /// The state of a breaker: 0 closed, 1 half-open, 2 open, 3 isolated.
    case state
    /// The share of calls that are refused, from 0 to 1.
    case probability
}

extension CircuitBreaker: StateNumbers {
    /// The label `circuitBreaker`.
    package static var policy: String { "circuitBreaker" }

    /// The breaker's state.
    package var gauges: [StateGauge: Double] {
        switch state {
        case .closed: [.state: 0]
        case .halfOpen: [.state: 1]
        case .open: [.state: 2]
        case .isolated: [.state: 3]
        }
    }
}

extension RetryBudget: StateNumbers {
    /// The label `retry`.
    package static var policy: String { "retry" }

    /// The retries that the budget allows; empty for an unlimited budget.
    package var gauges: [StateGauge: Double] {
        balance == .max ? [:] : [.balance: Double(balance)]
    }
}
