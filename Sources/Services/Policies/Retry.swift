public import PledgeFutures

extension Middleware {
    /// Repeats a call after a failure that may be temporary.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// let api = stack(.deadline(.seconds(10)), .retry(budget: budget), over: transport)
    /// ```
    ///
    /// An attempt is repeated if four things are true: the classifier says that another attempt may succeed, everything
    /// that this attempt has sent may be sent again, the call's deadline leaves time for the wait, and the budget
    /// allows it. Otherwise the result is returned unchanged. The attempt's `CallRecord`, in its ``CallContext``,
    /// says what may be sent again. If the record is empty, the request in the error
    /// decides, or else the input (``Replayable``).
    ///
    /// If the service asks for a delay, that delay replaces the backoff's. The wait is then at least the backoff's
    /// first step, and up to a tenth is added, so that not all callers come back at once. If the service asks for more
    /// than ``Retry/maxServerDelay``, the result is returned without a wait.
    ///
    /// Each attempt's context has the attempt's number. The first attempt starts on the caller's thread. The others
    /// start on the scheduler's thread, or, without a delay, on the thread on which the previous attempt ended. All
    /// attempts have the caller's task-local values. Cancelling the future cancels the attempt or the wait. Memory is
    /// constant for any number of attempts.
    ///
    /// - Parameters:
    ///   - retry: The settings.
    ///   - budget: The budget for retries, shared by all calls of the same service. With nil, this retry has its own
    ///     budget with the default settings. With ``RetryBudget/unlimited``, only `attempts` limits the retries. If the
    ///     budget is in a store that several machines share, a retry waits until the store has answered.
    ///   - classifier: Assesses the end of a call.
    ///   - scheduler: The clock for the waits.
    ///   - random: The source of the jitter.
    public static func retry(
        _ retry: Retry = Retry(), budget: RetryBudget? = nil,
        classifier: Classifier<Output> = .standard, on scheduler: some FutureScheduler = .live,
        random: RandomSource = .system
    ) -> Middleware {
        let rules = RetryRules(RetryMachine(retry), classifier, scheduler, random)
        return Middleware(named: retryPolicy) { service in
            let retry = RetriedCall(rules: rules, budget: budget ?? RetryBudget())
            return { input in retry.call(service, input) }
        }
    }
}

/// The settings of a retry, for the middleware `retry`, for a client, and for transfers that go on.
///
/// ```swift
/// client.retry = Retry(attempts: 5)
/// let api = stack(.retry(Retry(attempts: 5)), over: transport)
/// ```
///
/// A value outside the bounds below is a programming error and traps when the settings are used.
public struct Retry: Sendable {
    /// The maximum number of attempts, including the first; at least one.
    public var attempts: Int

    /// The rule for the waits.
    public var backoff: Backoff

    /// The longest wait that the service may ask for; zero or more.
    public var maxServerDelay: Duration

    /// Decides about calls that aren't known to be repeatable.
    public var unproven: UnprovenRetries

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first; at least one.
    ///   - backoff: The rule for the waits.
    ///   - maxServerDelay: The longest wait that the service may ask for; zero or more.
    ///   - unproven: Decides about calls that aren't known to be repeatable.
    public init(
        attempts: Int = 3, backoff: Backoff = .fullJitter(),
        maxServerDelay: Duration = .seconds(10), unproven: UnprovenRetries = .allowed
    ) {
        self.attempts = attempts
        self.backoff = backoff
        self.maxServerDelay = maxServerDelay
        self.unproven = unproven
    }
}

/// A setting for calls that aren't known to be repeatable.
///
/// Nothing is known if the attempt's `CallRecord` is empty, its error has no request, and the input isn't
/// ``Replayable``.
public enum UnprovenRetries: Sendable {
    /// Calls that aren't known to be repeatable are repeated, and the event says so (``PolicyEvent/isUnproven``).
    case allowed
    /// Calls that aren't known to be repeatable are not repeated.
    case never
}
