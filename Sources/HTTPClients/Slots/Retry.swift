public import Services

extension HTTPClient {
    /// How often, and after which waits, a request is sent again; see the middleware `retry`.
    ///
    /// A request is repeated only if it is replayable, was not sent, or was not processed.
    public struct Retry {
        /// How many attempts there may be, the first included.
        ///
        /// Less than one is a programming error and traps when the client is used.
        public var attempts: Int

        /// How long to wait before each retry.
        public var backoff: Backoff

        /// The budget of retries and hedges; nil: the client has a budget of its own.
        public var budget: RetryBudget?

        /// The longest wait that a server may ask for.
        ///
        /// Less than zero is a programming error and traps when the client is used.
        public var maxServerDelay: Duration

        /// Makes rules.
        ///
        /// - Parameters:
        ///   - attempts: How many attempts there may be, the first included.
        ///   - backoff: How long to wait before each retry.
        ///   - budget: The budget of retries and hedges; nil: the client has a budget of its own.
        ///   - maxServerDelay: The longest wait that a server may ask for.
        public init(
            attempts: Int = 3, backoff: Backoff = .fullJitter(), sharing budget: RetryBudget? = nil,
            maxServerDelay: Duration = .seconds(60)
        ) {
            self.attempts = attempts
            self.backoff = backoff
            self.budget = budget
            self.maxServerDelay = maxServerDelay
        }
    }
}

extension HTTPClient.Retry: Sendable {}
