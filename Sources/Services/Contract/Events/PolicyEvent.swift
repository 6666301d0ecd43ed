public import Futures

/// One thing that a policy did for a call.
///
/// The events of a call form a tree of spans: ``Kind/began(name:)`` opens one, ``Kind/ended(_:latency:error:)``
/// closes it, and whatever comes between with the same ``call`` and ``span`` happened within it.
/// Spans of hedges and of nested services overlap in time.
public struct PolicyEvent {
    /// What was done.
    public let kind: Kind

    /// The kind of policy that did it: `"retry"`, `"hedge"`; or your own.
    public let policy: String

    /// The name of the policy's state, such as ``CircuitBreaker/name``; nil where it has none.
    public let policyName: String?

    /// When, on the clock given to ``Middleware/observed(by:on:named:classifier:)``.
    public let instant: SchedulerInstant

    /// The call that it was done for: a number that no other call in this process has.
    public let call: UInt64

    /// The part of the call in which it was done, counted from one within the call.
    public let span: Int

    /// The part that this one is within; nil for the whole call.
    public let parent: Int?

    /// Which attempt of the innermost retry it was done in, counted from one.
    public let attempt: Int

    /// What the end of a span says about the service's health; nil in other events.
    public let health: CallAssessment.Health?

    /// Whether a call is repeated of which nothing says that it may be: no mark in its ``CallRecord``, no
    /// request in its error, and an input that is not ``Replayable``.
    public let isUnproven: Bool

    /// Makes an event.
    public init(
        kind: Kind, policy: String, policyName: String? = nil, instant: SchedulerInstant,
        call: UInt64, span: Int, parent: Int?, attempt: Int,
        health: CallAssessment.Health? = nil, isUnproven: Bool = false
    ) {
        self.kind = kind
        self.policy = policy
        self.policyName = policyName
        self.instant = instant
        self.call = call
        self.span = span
        self.parent = parent
        self.attempt = attempt
        self.health = health
        self.isUnproven = isUnproven
    }
}

extension PolicyEvent {
    /// The kinds of things that policies do.
    ///
    /// More may come: let a switch have a default.
    public enum Kind {
        /// A span began: the whole call, an attempt, a hedge.
        case began(name: String)
        /// The span ended. The outcome is the caller's, so a rejection by a healthy service is a failure. The
        /// error is nil where there was a value.
        case ended(Outcome, latency: Duration, error: (any Error)?)

        /// Another attempt follows, after a while. The error is nil where a value was taken for
        /// a failure.
        case retrying(after: Duration, error: (any Error)?)
        /// A retryable failure is returned instead.
        case retryWithheld(RetryWithheld)

        /// The time was over: that of an attempt, or the call's.
        case timedOut(after: Duration)

        /// Another call is made beside those under way, which had so long.
        case hedged(after: Duration)
        /// One of several calls under way was the first to succeed; the first call is number 1.
        case hedgeWon(number: Int)
        /// A call under way was cancelled, since another was first.
        case hedgeLost(number: Int)

        /// A breaker went from one state to another.
        case stateChanged(from: String, to: String)
        /// A call was refused, without reaching the service.
        case refused(ServiceError)
        /// A call goes on without the policy: an ``Middleware/each(by:limit:named:_:)`` has no room for its key.
        case bypassed

        /// A call waits for its turn; so many are in the queue, itself included.
        case queued(length: Int)
        /// A call that had waited runs.
        case dequeued(after: Duration)

        /// A call joined one that was under way; so many share it now.
        case coalesced(callers: Int)
        /// An answer was there already.
        case hit
        /// No answer was there.
        case miss

        /// A substitute is used for what failed. The error is nil where a value was taken for a failure.
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
public enum RetryWithheld: String, CaseIterable {
    /// All attempts were made.
    case attemptsUsed
    /// What was sent, or the input, may not be sent twice.
    case notReplayable
    /// Nothing says that the call may be made twice.
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

extension RetryWithheld: Sendable {}
