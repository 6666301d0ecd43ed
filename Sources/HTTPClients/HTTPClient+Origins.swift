public import PledgeHTTPNetworking
public import PledgeServices

extension HTTPClient {
    /// What the client keeps about each origin: to read, to isolate an origin, and to begin anew.
    ///
    /// ```swift
    /// for origin in client.origins.all { print(origin, client.origins[origin].circuitBreaker?.state as Any) }
    /// client.origins[shop].isolate()  // while the shop is repaired
    /// ```
    ///
    /// Copies of the client have the same, until the slot is changed; see "Values, and what they share".
    public var origins: Origins { Origins(client: self) }

    /// The origins of a client; see ``HTTPClient/origins``.
    public struct Origins: Sendable {
        fileprivate let client: HTTPClient

        /// The origins that the client has called and still keeps something about, by name.
        public var all: [HTTPOrigin] {
            let kept = client.keptStates
            let known =
                kept.budgets.all.map(\.origin) + kept.breakers.all.map(\.origin)
                + kept.bulkheads.all.map(\.origin) + kept.limiters.all.map(\.origin)
            return Set(known.compactMap { $0 })
                .sorted { "\($0)" < "\($1)" }
        }

        /// The states of an origin; made now, if it was not called before.
        public subscript(origin: HTTPOrigin) -> States {
            let states = SharedStates(of: client)
            return States(
                circuitBreaker: states.breaker(of: origin), bulkhead: states.bulkhead(of: origin),
                rateLimit: states.limiter(of: origin), retryBudget: states.budget(of: origin))
        }
    }
}

extension HTTPClient.Origins {
    /// The states of an origin, each nil if its slot is nil.
    ///
    /// They are the objects that calls use. One that comes from `sharing(_:)` is that of other origins as well.
    public struct States: Sendable {
        /// The breaker, by the slot ``HTTPClient/circuitBreaker``.
        public let circuitBreaker: CircuitBreaker?

        /// The bulkhead, by the slot ``HTTPClient/bulkhead``.
        public let bulkhead: Bulkhead?

        /// The limiter, by the slot ``HTTPClient/rateLimit``.
        public let rateLimit: RateLimiter?

        /// The budget of retries and hedges, by the slot ``HTTPClient/retry``.
        public let retryBudget: RetryBudget?

        /// Refuses all calls to the origin until ``reset()``, if there is a breaker.
        public func isolate() { circuitBreaker?.isolate() }

        /// Closes the breaker and fills the budget.
        ///
        /// Calls in flight keep their places.
        public func reset() {
            circuitBreaker?.reset()
            retryBudget?.reset()
        }
    }
}
