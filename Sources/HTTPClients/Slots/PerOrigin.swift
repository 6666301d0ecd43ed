public import PledgeFutures
import PledgeHTTPNetworking
public import PledgeServices

extension HTTPClient {
    /// The states of a policy, such as breakers: one for each origin, or one for all calls.
    ///
    /// ```swift
    /// client.circuitBreaker = .perOrigin()
    /// client.bulkhead = .perOrigin(limit: 20, queue: 50, queueTimeout: .seconds(1))
    /// ```
    ///
    /// The state of an origin that hasn't been called for a long time may be discarded; see `Middleware.each`.
    public struct PerOrigin<State: AnyObject & Sendable>: Sendable {
        /// The parameters for creating a state.
        public struct Parameters: Sendable {
            /// The origin, like "https://api.example.com:443", to use as the state's name.
            public let name: String

            /// The client's scheduler.
            public let scheduler: any FutureScheduler

            /// The client's source of randomness.
            public let random: RandomSource
        }

        /// The maximum number of origins with a state.
        let limit: Int

        /// The one state of all origins; nil if each has its own.
        let shared: State?

        let make: @Sendable (Parameters) -> State

        /// The load shedders that stand in for the bulkheads; nil if there are none.
        private(set) var shedders: (@Sendable () -> HTTPClient.PerOrigin<LoadShedder>)?

        /// A state for each origin.
        ///
        /// - Parameters:
        ///   - limit: The maximum number of origins with a state. Less than one is a programming error and traps.
        ///   - make: Creates an origin's state. Called on a caller's thread, while no lock is held. If several
        ///     threads create a state for one origin at the same time, one of these states is kept.
        public static func perOrigin(
            origins limit: Int = 1_000, _ make: @escaping @Sendable (Parameters) -> State
        ) -> Self {
            precondition(limit >= 1, "a state for each of at least 1 origin, not \(limit)")
            return Self(limit: limit, shared: nil, make: make, shedders: nil)
        }

        /// One state for all origins, which you can share with other clients too.
        public static func sharing(_ state: State) -> Self {
            Self(limit: originLimit, shared: state, make: { _ in state }, shedders: nil)
        }
    }
}

extension HTTPClient.PerOrigin where State == CircuitBreaker {
    /// A breaker with default settings for each origin.
    public static func perOrigin() -> Self {
        .perOrigin { CircuitBreaker(named: $0.name, on: $0.scheduler, random: $0.random) }
    }
}

extension HTTPClient.PerOrigin where State == RetryBudget {
    /// A budget for each origin, so that a failing origin doesn't use up the others' retries.
    ///
    /// - Parameters:
    ///   - capacity: The number of retries with which the budget begins, and the most that it can hold; see
    ///     `RetryBudget`.
    ///   - retriesPerSuccess: The fraction of a retry that a call adds to the budget if the call succeeds without a
    ///     retry.
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
    ///   - limit: The maximum number of calls to an origin in flight.
    ///   - queue: The maximum number of calls that wait.
    ///   - queueTimeout: The longest wait of a call. With nil, a call waits as long as its caller does.
    ///   - leaseTime: The longest time that a call counts; with nil, it counts until it ends. So by default, calls that
    ///     hang on one of several hosts, or that wait for a retry, don't keep others waiting.
    public static func perOrigin(
        limit: Int = 256, queue: Int = 1_000, queueTimeout: Duration? = nil,
        leaseTime: Duration? = .seconds(1)
    ) -> Self {
        .perOrigin {
            Bulkhead(
                named: $0.name, limit: limit, queue: queue, queueTimeout: queueTimeout,
                leaseTime: leaseTime, on: $0.scheduler)
        }
    }
}

extension HTTPClient.PerOrigin where State == Bulkhead {
    /// Load shedders instead of bulkheads: in overload, calls wait for milliseconds instead of seconds.
    ///
    /// ```swift
    /// client.bulkhead = .shedding(.perOrigin(limit: 32))
    /// ```
    ///
    /// - Parameter shedders: A shedder for each origin, or one for all.
    public static func shedding(_ shedders: HTTPClient.PerOrigin<LoadShedder>) -> Self {
        var slot = Self.perOrigin { Bulkhead(named: $0.name, on: $0.scheduler) }
        slot.shedders = { shedders }
        return slot
    }
}

extension HTTPClient.PerOrigin where State == LoadShedder {
    /// A load shedder for each origin.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of calls to an origin in flight.
    ///   - queue: The maximum number of calls that wait.
    public static func perOrigin(limit: Int, queue: Int = 1_000) -> Self {
        .perOrigin {
            LoadShedder(named: $0.name, limit: limit, queue: queue, on: $0.scheduler)
        }
    }
}

extension HTTPClient.PerOrigin where State == RateLimiter {
    /// A rate limiter for each origin.
    ///
    /// - Parameters:
    ///   - rate: The maximum number of requests to an origin in a period.
    ///   - period: The length of the period.
    ///   - burst: The maximum number of requests to send at once after an idle time.
    ///   - maxWait: The longest wait of a request for its turn.
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
