public import PledgeFutures

/// One action of a policy for a call.
///
/// A call's events form a tree of spans. ``Kind/began(name:)`` opens a span, and ``Kind/ended(_:latency:error:)``
/// closes it. The events in between with the same ``call`` and ``span`` happened within that span. Spans of hedges
/// and of nested services overlap in time.
public struct PolicyEvent: Sendable {
    /// The action.
    public let kind: Kind

    /// The kind of policy that acted: `"retry"`, `"hedge"`, or your own.
    public let policy: String

    /// The name given to the policy's state, such as a circuit breaker's; nil if it has none.
    public let policyName: String?

    /// The instant of the action, on the clock passed to ``Middleware/observed(by:on:named:classifier:)``.
    public let instant: SchedulerInstant

    /// The number of the call, unique in this process.
    public let call: UInt64

    /// The number of the span in which the action happened, counted from one within the call.
    public let span: Int

    /// The number of the parent span; nil for the span of the whole call.
    public let parent: Int?

    /// The number of the attempt in which the policy acted, counted from one.
    ///
    /// If retries are nested, it is the innermost retry's number.
    public let attempt: Int

    /// True if the policy repeats a call that isn't known to be repeatable.
    ///
    /// Nothing noted what such a call sent, its error has no request, and its input isn't ``Replayable``.
    public let isUnproven: Bool

    /// Creates an event.
    package init(
        kind: Kind, policy: String, policyName: String? = nil, instant: SchedulerInstant,
        call: UInt64, span: Int, parent: Int?, attempt: Int,
        isUnproven: Bool = false
    ) {
        self.kind = kind
        self.policy = policy
        self.policyName = policyName
        self.instant = instant
        self.call = call
        self.span = span
        self.parent = parent
        self.attempt = attempt
        self.isUnproven = isUnproven
    }
}

extension PolicyEvent {
    /// The kinds of actions that policies report.
    ///
    /// Later versions may add cases, so a switch needs a default.
    public enum Kind: Sendable {
        /// A span began: the whole call, an attempt, or a hedge.
        case began(name: String)
        /// The span ended. The error is nil if there was a value.
        case ended(Outcome, latency: Duration, error: (any Error)?)

        /// Another attempt follows after a delay. The error is nil if a value was classified as a failure.
        case retrying(after: Duration, error: (any Error)?)
        /// A call with a retryable failure isn't repeated.
        ///
        /// The reason is `attemptsUsed`, `notReplayable`, `unproven`, `askedTooLong`, `deadline` or `budget`.
        case retryWithheld(reason: String)

        /// An attempt's time limit or the call's deadline has passed.
        case timedOut(after: Duration)

        /// Another call starts after this duration, beside the calls in flight.
        case hedged(after: Duration)
        /// One of several calls in flight was the first to succeed. The original call is number 1.
        case hedgeWon(number: Int)
        /// A call in flight was cancelled, because another call's result came first.
        case hedgeLost(number: Int)

        /// A breaker changed from one state to another.
        case stateChanged(from: String, to: String)
        /// A call was refused, without reaching the service.
        case refused(ServiceError)
        /// A call continues without the policy.
        ///
        /// This happens if a ``Middleware/keyed(by:limit:named:failsOpen:_:)`` that fails open has no room for the
        /// call's key.
        case bypassed

        /// A call waits in a queue; the length includes this call.
        case queued(length: Int)
        /// A call runs after it has waited for this duration.
        case dequeued(after: Duration)

        /// A call joined another one in flight, and this number of callers now share it.
        case coalesced(callers: Int)
        /// A kept answer was found.
        case hit
        /// No kept answer was found.
        case miss

        /// A substitute replaces a failure. The error is nil if a value was classified as a failure.
        case fellBack(error: (any Error)?)

        /// A delay was injected.
        case injectedLatency(Duration)
        /// A failure, or another outcome, was injected.
        case injectedOutcome

        /// A span of a distributed trace began. The parent is nil for the first span of a trace.
        ///
        /// Other processes know the span by these IDs.
        case traced(TraceContext, parent: String?)

        /// Anything else, in words. The text must not hold secrets.
        case note(String)
    }
}

/// A reason why a retryable failure isn't repeated.
enum RetryRefusal: String, CaseIterable, Sendable {
    /// All attempts were used.
    case attemptsUsed
    /// A request that was sent, or the input, must not be sent twice.
    case notReplayable
    /// The call isn't known to be repeatable.
    case unproven
    /// The service asked for a longer wait than is allowed.
    case askedTooLong
    /// The call's deadline would pass before the next attempt.
    case deadline
    /// The budget was empty.
    case budget
}
