public import PledgeServices

extension HTTPClient {
    /// The rules for repeating a failed request; see the middleware `retry`.
    ///
    /// A request is repeated only if it is replayable, was not sent, or was not processed.
    public struct Retry: Sendable {
        /// The maximum number of attempts, including the first.
        ///
        /// Less than one is a programming error and traps when the client is used.
        public var attempts: Int

        /// The waits before the retries.
        public var backoff: Backoff

        /// The budgets that retries and hedges draw from; one for each origin by default.
        public var budget: PerOrigin<RetryBudget>

        /// The longest wait that a server may ask for.
        ///
        /// Less than zero is a programming error and traps when the client is used.
        public var maxServerDelay: Duration

        /// Makes other calls to the origin wait too when the server asks for a wait; see the middleware `pushback`.
        ///
        /// If the server asks for a wait of at most ``maxServerDelay``, the other calls wait; if it asks for a longer
        /// wait, they are refused with `rateLimited`.
        public var holdsBackOrigin: Bool

        /// The header that tells the server the attempt's number, starting from 1; nil sends none.
        public var attemptHeader: String?

        /// Creates rules.
        ///
        /// - Parameters:
        ///   - attempts: The maximum number of attempts, including the first.
        ///   - backoff: The waits before the retries.
        ///   - budget: The budgets that retries and hedges draw from: `.perOrigin(capacity: 100)` for a busy client, or
        ///     `.sharing(budget)` for one budget that all origins share, and that other clients can share too.
        ///   - maxServerDelay: The longest wait that a server may ask for.
        ///   - holdsBackOrigin: Makes other calls to the origin wait too when the server asks for a wait.
        ///   - attemptHeader: The header that tells the server the attempt's number, such as `X-Attempt`.
        public init(
            attempts: Int = 3, backoff: Backoff = .fullJitter(),
            budget: PerOrigin<RetryBudget> = .perOrigin(),
            maxServerDelay: Duration = .seconds(10), holdsBackOrigin: Bool = false,
            attemptHeader: String? = nil
        ) {
            self.attempts = attempts
            self.backoff = backoff
            self.budget = budget
            self.maxServerDelay = maxServerDelay
            self.holdsBackOrigin = holdsBackOrigin
            self.attemptHeader = attemptHeader
        }
    }
}

extension HTTPClient {
    /// The rules for sending a second request beside a slow one; see the middleware `hedge`.
    public struct Hedge: Hashable, Sendable {
        /// How long the latest request is in flight before the next request is sent.
        ///
        /// With nil, it is the measured latency that few requests exceed. Less than zero is a programming error and
        /// traps when the client is used.
        public var delay: Duration?

        /// The maximum number of requests that hedging may send, including the original; a retry counts anew.
        ///
        /// Less than one is a programming error and traps when the client is used.
        public var attempts: Int

        /// The share of extra requests that a server may get; 0…1.
        ///
        /// A value out of range is a programming error and traps when the client is used.
        public var maxExtraLoad: Double

        /// Creates rules.
        ///
        /// - Parameters:
        ///   - delay: How long the latest request is in flight before the next request is sent; nil for the measured
        ///     latency that few requests exceed.
        ///   - attempts: The maximum number of requests that hedging may send, including the original; a retry counts anew.
        ///   - maxExtraLoad: The share of extra requests that a server may get; 0…1.
        public init(after delay: Duration? = nil, attempts: Int = 2, maxExtraLoad: Double = 0.01) {
            self.delay = delay
            self.attempts = attempts
            self.maxExtraLoad = maxExtraLoad
        }
    }
}
