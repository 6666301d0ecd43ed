import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// What the slots of a client keep about the origins.
///
/// A copy of the client has the same. Changing a slot replaces that slot's states in the changed client, and leaves the others.
struct KeptStates: Sendable {
    var budgets = StatesByOrigin<RetryBudget>()
    var hedgings = StatesByOrigin<Hedging>()
    var pushbacks = StatesByOrigin<Pushback>()
    var breakers = StatesByOrigin<CircuitBreaker>()
    var bulkheads = StatesByOrigin<Bulkhead>()
    var limiters = StatesByOrigin<RateLimiter>()
}

/// The states of a client by its slots: found in what it keeps, or made.
struct SharedStates: Sendable {
    private let kept: KeptStates
    private let retry: HTTPClient.Retry?
    private let circuitBreaker: HTTPClient.PerOrigin<CircuitBreaker>?
    private let bulkhead: HTTPClient.PerOrigin<Bulkhead>?
    private let rateLimit: HTTPClient.PerOrigin<RateLimiter>?
    private let metrics: ServiceMetrics?
    private let scheduler: any Scheduler
    private let random: RandomSource

    init(of client: HTTPClient) {
        kept = client.keptStates
        retry = client.retry
        circuitBreaker = client.circuitBreaker
        bulkhead = client.bulkhead
        rateLimit = client.rateLimit
        metrics = client.metrics
        scheduler = client.scheduler
        random = client.random
    }

    /// Lets the metrics show what was made before they were set.
    func watchAll() {
        guard let metrics else { return }
        kept.budgets.all.forEach { metrics.watch($0.state) }
        kept.breakers.all.forEach { metrics.watch($0.state) }
        kept.bulkheads.all.forEach { metrics.watch($0.state) }
        kept.limiters.all.forEach { metrics.watch($0.state) }
        retry?.budget.shared.map { metrics.watch($0) }
        circuitBreaker?.shared.map { metrics.watch($0) }
        bulkhead?.shared.map { metrics.watch($0) }
        rateLimit?.shared.map { metrics.watch($0) }
    }

    /// The budget of an origin's retries; nil without retries.
    func budget(of origin: HTTPOrigin?) -> RetryBudget? {
        retry.map { state(of: origin, by: $0.budget, in: kept.budgets) }
    }

    func breaker(of origin: HTTPOrigin?) -> CircuitBreaker? {
        circuitBreaker.map { state(of: origin, by: $0, in: kept.breakers) }
    }

    func bulkhead(of origin: HTTPOrigin?) -> Bulkhead? {
        bulkhead.map { state(of: origin, by: $0, in: kept.bulkheads) }
    }

    func limiter(of origin: HTTPOrigin?) -> RateLimiter? {
        rateLimit.map { state(of: origin, by: $0, in: kept.limiters) }
    }

    /// The delay of an origin's hedges, and their budgets, one of which is that of the retries.
    func hedging(of origin: HTTPOrigin?, by hedge: HTTPClient.Hedge) -> Hedging {
        kept.hedgings.state(of: origin, keeping: HTTPClient.originLimit) {
            let budget = budget(of: origin)
            guard let delay = hedge.delay else {
                return Hedging(maxExtraLoad: hedge.maxExtraLoad, sharing: budget, on: scheduler)
            }
            return Hedging(
                after: delay, maxExtraLoad: hedge.maxExtraLoad, sharing: budget, on: scheduler)
        }
    }

    /// The pause that an origin has asked for.
    func pushback(of origin: HTTPOrigin?, within maxWait: Duration) -> Pushback {
        kept.pushbacks.state(of: origin, keeping: HTTPClient.originLimit) {
            Pushback(named: name(of: origin), maxWait: maxWait, on: scheduler, random: random)
        }
    }

    private func state<State: GaugedState>(
        of origin: HTTPOrigin?, by slot: HTTPClient.PerOrigin<State>,
        in states: StatesByOrigin<State>
    ) -> State {
        if let shared = slot.shared { return shared }
        return states.state(of: origin, keeping: slot.limit) {
            let state = slot.make(
                .init(name: name(of: origin), scheduler: scheduler, random: random))
            metrics?.watch(state)
            return state
        }
    }

    private func name(of origin: HTTPOrigin?) -> String { origin?.description ?? "no origin" }
}

extension HTTPClient {
    /// How many origins have a state, if nothing else is said.
    static let originLimit = 1_000
}
