public import PledgeAdmission
import PledgeFutures
public import PledgeHTTPMessages
public import PledgeServices
import Synchronization

extension HTTPClient {
    /// The origins that the client has called, and the states that it keeps for each.
    ///
    /// ```swift
    /// for origin in client.origins.all { print(origin, client.origins[origin].circuitBreaker?.state as Any) }
    /// client.origins[shop].isolate()  // while the shop is repaired
    /// ```
    ///
    /// Use it to read the states of an origin, or to isolate or reset the origin. Copies of the client share the states
    /// of a slot until you change the slot in one of them; see "Values, and what they share" at ``HTTPClient``.
    public var origins: Origins { Origins(client: uncountedCopy) }

    /// The origins of a client; see ``HTTPClient/origins``.
    public struct Origins: Sendable {
        fileprivate let client: HTTPClient

        /// The called origins for which the client still keeps a state, sorted by name.
        public var all: [HTTPOrigin] {
            let kept = client.keptStates
            let known =
                kept.budgets.all.map(\.origin) + kept.breakers.all.map(\.origin)
                + kept.bulkheads.all.map(\.origin) + kept.shedders.all.map(\.origin)
                + kept.limiters.all.map(\.origin)
            return Set(known.compactMap { $0 })
                .sorted { "\($0)" < "\($1)" }
        }

        /// The states of an origin, created now if the origin wasn't called before.
        public subscript(origin: HTTPOrigin) -> States {
            let states = SharedStates(of: client)
            return States(
                circuitBreaker: states.breakers?.policy(of: origin),
                bulkhead: states.bulkheads?.policy(of: origin),
                rateLimit: states.limiters?.policy(of: origin),
                retryBudget: states.budgets?.policy(of: origin),
                admission: states.shedders?.policy(of: origin))
        }
    }
}

extension HTTPClient.Origins {
    /// The states of an origin, each nil if its slot is nil.
    ///
    /// They are the objects that calls use. An object that is in a slot itself serves other origins too.
    public struct States: Sendable {
        /// The breaker of the slot ``HTTPClient/Settings/circuitBreaker``.
        public let circuitBreaker: CircuitBreaker?

        /// The bulkhead of the slot ``HTTPClient/Settings/bulkhead``.
        public let bulkhead: Bulkhead?

        /// The limiter of the slot ``HTTPClient/Settings/rateLimit``.
        public let rateLimit: RateLimiter?

        /// The budget for retries and hedges, from the slot ``HTTPClient/Settings/retryBudget``.
        public let retryBudget: RetryBudget?

        /// What stands in for the bulkhead.
        package let admission: (any AnyObject & Sendable)?

        /// Refuses all calls to the origin until ``reset()``, if there is a breaker.
        public func isolate() { circuitBreaker?.isolate() }

        /// Closes the breaker and fills the budget.
        ///
        /// Calls in flight still count in the bulkhead.
        public func reset() {
            circuitBreaker?.reset()
            retryBudget?.reset()
        }
    }
}

/// The states that a client's slots keep for origins.
///
/// Copies of a client share these states. If you change a slot of one copy, that copy gets new states for the slot, and
/// keeps the states of its other slots. The states that the changed slot would make in the same way stay.
struct KeptStates: Sendable {
    var budgets = StatesByOrigin<RetryBudget>()
    var hedges = StatesByOrigin<Hedge>()
    var pushbacks = StatesByOrigin<Pushback>()
    var breakers = StatesByOrigin<CircuitBreaker>()
    var bulkheads = StatesByOrigin<Bulkhead>()
    var shedders = StatesByOrigin<AdmissionSlot.Object>()
    var limiters = StatesByOrigin<RateLimiter>()
}

/// The policies of a client's slots, with the states that the client keeps; each nil if it isn't in use.
struct SharedStates: Sendable {
    /// Nil without retries.
    let budgets: (any OriginPolicy<RetryBudget>)?
    let hedges: (any OriginPolicy<Hedge>)?
    let pushbacks: (any OriginPolicy<Pushback>)?
    let breakers: (any OriginPolicy<CircuitBreaker>)?
    /// Nil if others stand in for them.
    let bulkheads: (any OriginPolicy<Bulkhead>)?
    let shedders: (any OriginPolicy<AdmissionSlot.Object>)?
    let limiters: (any OriginPolicy<RateLimiter>)?

    private let settings: HTTPClient.KeptSettings
    private var slots: HTTPClient.Settings { _read { yield settings.settings } }
    private let kept: KeptStates
    /// Shows the numbers of a state in the client's metrics.
    private let watch: @Sendable (any AnyObject & Sendable) -> Void

    init(of client: HTTPClient) {
        let (slots, kept) = (client.slots, client.keptStates)
        let watch = ServiceObserver(combining: slots.observers).watch
        let place = places(on: slots.scheduler, random: slots.random)
        let budgets =
            slots.retry == nil
            ? nil : slots.retryBudget.kept(in: kept.budgets, place: place, watch: watch)
        self.budgets = budgets
        let placeOfHedge = { @Sendable (origin: HTTPOrigin?) in
            var place = place(origin)
            place.budget = budgets?.policy(of: origin)
            return place
        }
        hedges = slots.hedge?.kept(in: kept.hedges, place: placeOfHedge, watch: watch)
        pushbacks = slots.pushback?.kept(in: kept.pushbacks, place: place, watch: watch)
        breakers = slots.circuitBreaker?.kept(in: kept.breakers, place: place, watch: watch)
        let bulkhead = slots.admission == nil ? slots.bulkhead : nil
        bulkheads = bulkhead?.kept(in: kept.bulkheads, place: place, watch: watch)
        shedders = slots.admission?.objects.kept(in: kept.shedders, place: place, watch: watch)
        limiters = slots.rateLimit?.kept(in: kept.limiters, place: place, watch: watch)
        settings = client.kept
        self.kept = kept
        self.watch = watch
    }

    /// Lets the metrics watch the states that were created before the metrics were set.
    func watchAll() {
        kept.budgets.all.forEach { watch($0.state) }
        kept.breakers.all.forEach { watch($0.state) }
        kept.bulkheads.all.forEach { watch($0.state) }
        kept.shedders.all.forEach { watch($0.state) }
        kept.limiters.all.forEach { watch($0.state) }
        let all: [(any Sendable)?] = [
            slots.retryBudget, slots.circuitBreaker, slots.bulkhead,
            slots.admission?.policies,
            slots.rateLimit,
        ]
        for case let state as any RenewablePolicy in all { watch(state) }
    }

    /// True if the slot would make the budgets that exist with the same limits.
    var keepsBudgets: Bool {
        guard let slot = slots.retryBudget as? PerOrigin<RetryBudget> else { return false }
        let known = kept.budgets.all
        return !known.isEmpty
            && known.allSatisfy { slot.sample($0.origin).hasLimits(of: $0.state) }
    }

    /// Gives the bulkheads that exist the slot's limits.
    ///
    /// - Returns: False if they differ in more than the limits, so that new bulkheads must be made.
    func resizeBulkheads() -> Bool {
        guard let slot = slots.bulkhead as? PerOrigin<Bulkhead> else { return false }
        let known = kept.bulkheads.all
        return !known.isEmpty
            && known.allSatisfy { $0.state.takeLimits(of: slot.sample($0.origin)) }
    }
}

/// Returns what a client or a stack decides about an origin's object, with its clock and source of randomness.
func places(
    on scheduler: any FutureScheduler, random: RandomSource
) -> @Sendable (HTTPOrigin?) -> PolicyPlace {
    { PolicyPlace(name(of: $0), scheduler, random) }
}

/// The name of an origin's states.
func name(of origin: HTTPOrigin?) -> String { origin?.description ?? "no origin" }

extension HTTPClient {
    /// The largest number of origins that have a state, by default.
    static let originLimit = 1_000
}
