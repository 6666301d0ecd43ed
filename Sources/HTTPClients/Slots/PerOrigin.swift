public import PledgeFutures
import PledgeHTTPNetworking
public import PledgeServices

extension HTTPClient {
    /// A state that calls to one origin share, such as a breaker, or that all calls share.
    ///
    /// ```swift
    /// client.circuitBreaker = .perOrigin()
    /// client.bulkhead = .perOrigin(limit: 20, queue: 50, queueTimeout: .seconds(1))
    /// ```
    ///
    /// The state of an origin that was not called for a long time may be discarded; see `Middleware.each`.
    public struct PerOrigin<State: AnyObject & Sendable> {
        /// The parameters for making a state.
        public struct Parameters: Sendable {
            /// The origin, like "https://api.example.com:443"; a name for the state.
            public let name: String

            /// The client's scheduler.
            public let scheduler: any Scheduler

            /// The client's source of randomness.
            public let random: RandomSource
        }

        /// How many origins have a state.
        let limit: Int

        /// The state of all origins; nil if each has its own.
        let shared: State?

        let make: @Sendable (Parameters) -> State

        /// A state for each origin.
        ///
        /// - Parameters:
        ///   - limit: The largest number of origins with a state. Less than one is a programming error and
        ///     traps.
        ///   - make: Makes the state of an origin. Called on the thread of a caller, while no lock is held.
        ///     If several threads make the state of an origin at the same time, one of these states is kept.
        public static func perOrigin(
            origins limit: Int = 1_000, _ make: @escaping @Sendable (Parameters) -> State
        ) -> Self {
            precondition(limit >= 1, "a state for each of at least 1 origin, not \(limit)")
            return Self(limit: limit, shared: nil, make: make)
        }

        /// One state for all origins, which other clients may have as well.
        public static func sharing(_ state: State) -> Self {
            Self(limit: originLimit, shared: state) { _ in state }
        }
    }
}

extension HTTPClient.PerOrigin where State == CircuitBreaker {
    /// A breaker for each origin, with its defaults.
    public static func perOrigin() -> Self {
        .perOrigin { CircuitBreaker(named: $0.name, on: $0.scheduler, random: $0.random) }
    }
}

extension HTTPClient.PerOrigin where State == RetryBudget {
    /// A budget for each origin, so that one that is down takes no retries from the others.
    ///
    /// - Parameters:
    ///   - capacity: How many retries there are at most, and at first; see `RetryBudget`.
    ///   - retriesPerSuccess: The part of a retry that a call adds which succeeds without one.
    public static func perOrigin(
        capacity: Int = 10, retriesPerSuccess: Double = 0.2
    ) -> Self {
        .perOrigin {
            RetryBudget(
                named: $0.name, capacity: capacity, retriesPerSuccess: retriesPerSuccess)
        }
    }
}

extension HTTPClient.PerOrigin where State == Bulkhead {
    /// A bulkhead for each origin.
    ///
    /// - Parameters:
    ///   - limit: How many calls to an origin may be in flight.
    ///   - queue: How many more may wait.
    ///   - queueTimeout: How long a call may wait; nil: as long as its caller waits.
    public static func perOrigin(
        limit: Int = 256, queue: Int = 1_000, queueTimeout: Duration? = nil
    ) -> Self {
        .perOrigin {
            Bulkhead(
                named: $0.name, limit: limit, queue: queue, queueTimeout: queueTimeout,
                on: $0.scheduler)
        }
    }
}

extension HTTPClient.PerOrigin where State == RateLimiter {
    /// A rate limiter for each origin.
    ///
    /// - Parameters:
    ///   - rate: How many requests to an origin may be sent in a period.
    ///   - period: The period.
    ///   - burst: How many may be sent at once after an idle time.
    ///   - maxWait: How long a request may wait for its turn.
    public static func perOrigin(
        rate: Int, per period: Duration, burst: Int = 1, maxWait: Duration = .seconds(1)
    ) -> Self {
        .perOrigin {
            RateLimiter(
                named: $0.name, rate: rate, per: period, burst: burst, maxWait: maxWait,
                on: $0.scheduler)
        }
    }
}

extension HTTPClient.PerOrigin: Sendable {}
