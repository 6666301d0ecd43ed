import PledgeFutures
import PledgeServices
import TestSupport

extension TestLog<PolicyEvent> {
    /// An observer that keeps the events.
    var observer: ServiceObserver { ServiceObserver(append) }

    /// One line for each event: the milliseconds, the span (with its parent), the policy, what it did.
    var lines: [String] {
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
    var milliseconds: String {
        let value = self / .milliseconds(1)
        return value == value.rounded() ? "\(Int(value))" : "\(value)"
    }
}

extension PolicyEvent.Kind {
    /// The event in the tests' notation.
    var line: String {
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
    var word: String {
        switch retry {
        case _ where isSuccess: "success"
        case .never: isFailure ? "failure" : "ignorable"
        case .after(let delay): "retryable\(delay.map { "(\($0.milliseconds))" } ?? "")"
        }
    }
}
