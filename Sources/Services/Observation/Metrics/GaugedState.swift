/// The state of a policy whose numbers metrics show: a bulkhead's calls in flight, a breaker's state.
public protocol GaugedState: AnyObject, Sendable {
    /// The kind of policy: the label `policy`.
    static var policy: String { get }

    /// The name: the label `policy_name`; nil if it has none.
    var name: String? { get }

    /// Its numbers now. Called on any thread, for each scrape, while no lock is held.
    var gauges: [StateGauge: Double] { get }
}

/// What a state's number is.
public enum StateGauge: String, Hashable, Sendable, CaseIterable {
    /// How many calls are in flight.
    case inFlight = "in_flight"
    /// How many calls wait.
    case queued
    /// How many calls may be in flight.
    case limit
    /// How many retries there are.
    case balance
    /// Whether a breaker lets calls pass: 0 closed, 1 half-open, 2 open, 3 isolated.
    case state
    /// The share of calls that are refused, 0…1.
    case probability
}

extension StateGauge {
    /// The name of its family without the prefix.
    var family: String { "policy_\(rawValue)" }

    var help: String {
        switch self {
        case .inFlight: "Calls in flight in a policy."
        case .queued: "Calls that wait in a policy."
        case .limit: "How many calls a policy lets be in flight."
        case .balance: "How many retries a budget allows now."
        case .state: "The state of a breaker: 0 closed, 1 half-open, 2 open, 3 isolated."
        case .probability: "The share of calls that a throttle refuses now."
        }
    }

    /// The number of several states with the same name.
    func sum(_ first: Double, _ second: Double) -> Double {
        switch self {
        case .inFlight, .queued, .limit, .balance: first + second
        case .state, .probability: max(first, second)
        }
    }
}

extension CircuitBreaker: GaugedState {
    /// `circuitBreaker`.
    public static var policy: String { "circuitBreaker" }

    /// Its state.
    public var gauges: [StateGauge: Double] {
        switch state {
        case .closed: [.state: 0]
        case .halfOpen: [.state: 1]
        case .open: [.state: 2]
        case .isolated: [.state: 3]
        }
    }
}

extension Bulkhead: GaugedState {
    /// The calls in flight, and those that wait.
    public var gauges: [StateGauge: Double] {
        [.inFlight: Double(inFlight), .queued: Double(queued)]
    }
}

extension AdaptiveConcurrency: GaugedState {
    /// The calls in flight, those that wait, and the limit.
    public var gauges: [StateGauge: Double] {
        [.inFlight: Double(inFlight), .queued: Double(queued), .limit: Double(limit)]
    }
}

extension LoadShedder: GaugedState {
    /// The calls in flight, and those that wait.
    public var gauges: [StateGauge: Double] {
        [.inFlight: Double(inFlight), .queued: Double(queued)]
    }
}

extension AdaptiveThrottle: GaugedState {
    /// `throttle`.
    public static var policy: String { "throttle" }

    /// The share of calls that it refuses.
    public var gauges: [StateGauge: Double] { [.probability: probability] }
}

extension RateLimiter: GaugedState {
    /// `rateLimit`.
    public static var policy: String { "rateLimit" }

    /// The calls that wait.
    public var gauges: [StateGauge: Double] { [.queued: Double(queued)] }
}

extension Pushback: GaugedState {
    /// `pushback`.
    public static var policy: String { "pushback" }

    /// The calls that wait.
    public var gauges: [StateGauge: Double] { [.queued: Double(queued)] }
}

extension RetryBudget: GaugedState {
    /// `retry`.
    public static var policy: String { "retry" }

    /// The retries that it allows; nothing for the unlimited one.
    public var gauges: [StateGauge: Double] {
        balance == .max ? [:] : [.balance: Double(balance)]
    }
}
