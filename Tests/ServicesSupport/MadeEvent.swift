import PledgeFutures
package import PledgeServices
package import TestSupport

extension PolicyEvent {
    /// An event in the notation of the observers' tests: the milliseconds, the span within its parent, the
    /// policy and what it did.
    package static func made(
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
    package static func ended(_ outcome: Outcome = .success, after milliseconds: Int = 0) -> Self {
        .ended(outcome, latency: .milliseconds(milliseconds), error: nil)
    }

    /// Every kind of event, with texts that are hard to escape.
    package static let every: [PolicyEvent.Kind] = [
        .began(name: nasty), .ended(.success, latency: .milliseconds(3), error: nil),
        .ended(.retryable(after: .seconds(1)), latency: .nanoseconds(1), error: Broken()),
        .retrying(after: .milliseconds(20), error: ServiceError(.timedOut, policy: nasty)),
        .retryWithheld(reason: "budget"), .timedOut(after: .seconds(2)),
        .hedged(after: .milliseconds(9)),
        .hedgeWon(number: 2), .hedgeLost(number: 1), .stateChanged(from: "closed", to: nasty),
        .refused(ServiceError(.rateLimited, policy: "limit", retryAfter: .milliseconds(5))),
        .queued(length: 3), .dequeued(after: .milliseconds(4)), .coalesced(callers: 7), .hit,
        .miss, .fellBack(error: FutureError(.abandoned)), .injectedLatency(.milliseconds(8)),
        .injectedOutcome, .note(nasty),
        .traced(
            TraceContext.newTrace(random: RandomSource(SeededGenerator(seed: 1))),
            parent: "0000000000000001"),
    ]

    package static let nasty = "a \"b\" \\ c=d\r\n\t\u{1B}[31m\u{2028}\u{202E}é日👍"
}

/// An error whose text contains a secret.
package struct Telling: Error, CodedError, CustomStringConvertible {
    package var loggedCode = "denied"
    package var description: String { "Bearer s3cret" }

    package init() {}
}

extension TestLog<PolicyEvent> {
    /// An observer that keeps the events.
    package var observer: ServiceObserver { ServiceObserver(append) }

    /// One line for each event: the milliseconds, the span (with its parent), the policy, what it did.
    package var lines: [String] {
        elements.map { event in
            let parent = event.parent.map { "<\($0)" } ?? ""
            return
                "\(event.instant.offset.milliseconds) \(event.span)\(parent) \(event.policy) "
                + event.kind.line
        }
    }
}

extension Duration {
    /// The duration in milliseconds, exact.
    package var milliseconds: String {
        let value = self / .milliseconds(1)
        return value == value.rounded() ? "\(Int(value))" : "\(value)"
    }
}

extension PolicyEvent.Kind {
    /// The event in the tests' notation.
    package var line: String {
        switch self {
        case .began(let name): "began \(name)"
        case .ended(let outcome, let latency, let error):
            "ended \(outcome.word) in \(latency.milliseconds)\(Self.suffix(error))"
        case .retrying(let delay, let error):
            "retrying after \(delay.milliseconds)\(Self.suffix(error))"
        case .retryWithheld(let reason): "withheld \(reason)"
        case .fellBack(let error): "fell back\(Self.suffix(error))"
        case .injectedLatency(let delay): "injected latency of \(delay.milliseconds)"
        case .timedOut(let limit): "timed out after \(limit.milliseconds)"
        default: "\(self)"
        }
    }

    private static func suffix(_ error: (any Error)?) -> String {
        error.map { ": \((($0 as? ServiceError)?.code).map { "\($0)" } ?? "\(type(of: $0))")" }
            ?? ""
    }
}

extension Outcome {
    /// The outcome in the tests' notation.
    package var word: String {
        switch retry {
        case _ where isSuccess: "success"
        case .never: isFailure ? "failure" : "ignorable"
        case .after(let delay): "retryable\(delay.map { "(\($0.milliseconds))" } ?? "")"
        }
    }
}
