import PledgeFutures
import PledgeServices

extension PolicyEvent {
    /// An event in the notation of the observers' tests: the milliseconds, the span within its parent, the
    /// policy and what it did.
    static func made(
        _ kind: Kind, by policy: String = "observed", at milliseconds: Int = 0, call: UInt64 = 1,
        span: Int = 1, in parent: Int? = nil, attempt: Int = 1
    ) -> PolicyEvent {
        PolicyEvent(
            kind: kind, policy: policy,
            instant: SchedulerInstant(offset: .milliseconds(milliseconds)), call: call, span: span,
            parent: parent, attempt: attempt)
    }
}

extension PolicyEvent.Kind {
    /// The end of a span, with a latency that matters only if events are added up.
    static func ended(_ outcome: Outcome = .success, after milliseconds: Int = 0) -> Self {
        .ended(outcome, latency: .milliseconds(milliseconds), error: nil)
    }

    /// Every kind of event, with texts that are hard to escape.
    static let every: [PolicyEvent.Kind] = [
        .began(name: nasty), .ended(.success, latency: .milliseconds(3), error: nil),
        .ended(.retryable(after: .seconds(1)), latency: .nanoseconds(1), error: Broken()),
        .retrying(after: .milliseconds(20), error: ServiceError(.timedOut, policy: nasty)),
        .retryWithheld(.budget), .timedOut(after: .seconds(2)), .hedged(after: .milliseconds(9)),
        .hedgeWon(number: 2), .hedgeLost(number: 1), .stateChanged(from: "closed", to: nasty),
        .refused(ServiceError(.rateLimited, policy: "limit", retryAfter: .milliseconds(5))),
        .queued(length: 3), .dequeued(after: .milliseconds(4)), .coalesced(callers: 7), .hit,
        .miss, .fellBack(error: FutureError(.abandoned)), .injectedLatency(.milliseconds(8)),
        .injectedOutcome, .note(nasty),
        .traced(
            TraceContext.newTrace(random: RandomSource(SeededGenerator(seed: 1))),
            parent: TraceContext.SpanID(1)),
    ]

    static let nasty = "a \"b\" \\ c=d\r\n\t\u{1B}[31m\u{2028}\u{202E}é日👍"
}

/// An error whose text contains a secret.
struct Telling: Error, CodedError, CustomStringConvertible {
    var loggedCode = "denied"
    var description: String { "Bearer s3cret" }
}
