public import PledgeServices

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

        /// The budgets of retries and hedges: by default one for each origin.
        public var budget: PerOrigin<RetryBudget>

        /// The longest wait that a server may ask for.
        ///
        /// Less than zero is a programming error and traps when the client is used.
        public var maxServerDelay: Duration

        /// Whether the wait that a server asks for holds back the other calls to its origin as well; see the
        /// middleware `pushback`.
        ///
        /// They wait as long as ``maxServerDelay`` allows, and are refused with `rateLimited` otherwise.
        public var holdsBackOrigin: Bool

        /// The header that tells the server the number of the attempt, from 1 on; nil: none.
        public var attemptHeader: String?

        /// Makes rules.
        ///
        /// - Parameters:
        ///   - attempts: How many attempts there may be, the first included.
        ///   - backoff: How long to wait before each retry.
        ///   - budget: The budgets of retries and hedges; `.perOrigin(capacity: 100)` for a busy client,
        ///     `.sharing(budget)` for one that all origins, and other clients, share.
        ///   - maxServerDelay: The longest wait that a server may ask for.
        ///   - holdsBackOrigin: Whether that wait holds back the other calls to the origin.
        ///   - attemptHeader: The header that tells the server the number of the attempt, such as `X-Attempt`.
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

extension HTTPClient.Retry: Sendable {}
