public import PledgeFutures

/// One action of a policy for a call.
///
/// The events of a call form a tree of spans: ``Kind/began(name:)`` opens one, ``Kind/ended(_:latency:error:)``
/// closes it, and the events between them with the same ``call`` and ``span`` happened within it.
/// Spans of hedges and of nested services overlap in time.
public struct PolicyEvent {
    /// What was done.
    public let kind: Kind

    /// The kind of policy that did it: `"retry"`, `"hedge"`; or your own.
    public let policy: String

    /// The name of the policy's state, such as ``CircuitBreaker/name``; nil if it has none.
    public let policyName: String?

    /// The instant, on the clock passed to ``Middleware/observed(by:on:named:classifier:)``.
    public let instant: SchedulerInstant

    /// The number of the call, unique in this process.
    public let call: UInt64

    /// The number of the span in which it happened, counted from one within the call.
    public let span: Int

    /// The number of the parent span; nil for the whole call.
    public let parent: Int?

    /// The attempt of the innermost retry, counted from one.
    public let attempt: Int

    /// Whether a call is repeated although it is not known to be repeatable: it has no mark in its
    /// ``CallRecord``, no request in its error, and an input that is not ``Replayable``.
    public let isUnproven: Bool

    /// Makes an event.
    public init(
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
    /// The kinds of actions of policies.
    ///
    /// Later versions may add cases: a switch needs a default.
    public enum Kind {
        /// A span began: the whole call, an attempt, a hedge.
        case began(name: String)
        /// The span ended. The error is nil if there was a value.
        case ended(Outcome, latency: Duration, error: (any Error)?)

        /// Another attempt follows, after a duration. The error is nil if a value was classified as a
        /// failure.
        case retrying(after: Duration, error: (any Error)?)
        /// A retryable failure is returned instead.
        case retryWithheld(RetryRefusal)

        /// The time was over: that of an attempt, or the call's.
        case timedOut(after: Duration)

        /// Another call is made beside those under way, after this duration.
        case hedged(after: Duration)
        /// One of several calls under way was the first to succeed; the first call is number 1.
        case hedgeWon(number: Int)
        /// A call under way was cancelled, because another was first.
        case hedgeLost(number: Int)

        /// A breaker changed from one state to another.
        case stateChanged(from: String, to: String)
        /// A call was refused, without reaching the service.
        case refused(ServiceError)
        /// A call continues without the policy: an ``Middleware/keyed(by:limit:named:_:)`` has no room for its
        /// key.
        case bypassed

        /// A call waits in a queue of this length, itself included.
        case queued(length: Int)
        /// A call that had waited runs.
        case dequeued(after: Duration)

        /// A call joined one that was under way; this number of callers share it now.
        case coalesced(callers: Int)
        /// An answer was found.
        case hit
        /// No answer was found.
        case miss

        /// A substitute replaces a failure. The error is nil if a value was classified as a failure.
        case fellBack(error: (any Error)?)

        /// A delay was injected.
        case injectedLatency(Duration)
        /// A failure, or another outcome, was injected.
        case injectedOutcome

        /// A span of a distributed trace began, which other processes know by these IDs. The parent is nil for
        /// the first span of a trace.
        case traced(TraceContext, parent: TraceContext.SpanID?)

        /// Anything else, in words. It must hold no secrets.
        case note(String)
    }
}

/// Why a retryable failure was returned.
public enum RetryRefusal: String, CaseIterable {
    /// All attempts were made.
    case attemptsUsed
    /// What was sent, or the input, may not be sent twice.
    case notReplayable
    /// The call is not known to be repeatable.
    case unproven
    /// The other side asked for a longer wait than is allowed.
    case askedTooLong
    /// The call's deadline would have passed before.
    case deadline
    /// The budget was empty.
    case budget
}

extension PolicyEvent: Sendable {}

extension PolicyEvent.Kind: Sendable {}

extension RetryRefusal: Sendable {}
