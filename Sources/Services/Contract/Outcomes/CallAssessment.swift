/// The meaning of the end of a call, with a separate answer for each question.
///
/// Each policy reads one part: retry and hedge read ``retry``, a circuit breaker reads ``health``, a fallback
/// and observers read ``isSuccess``. A ``Classifier`` decides it once for all of them.
public struct CallAssessment {
    /// The service's health, as the end of the call shows it.
    public enum Health: String {
        /// The service worked, even if it answered that a request is wrong.
        case healthy
        /// The service failed, or did not answer in time.
        case unhealthy
        /// Not known: the service was not called, or its answer was not awaited.
        case unknown
    }

    /// Whether another call may succeed.
    public enum Retry {
        /// It would end in the same way.
        case never
        /// It may, but not before this time has passed; nil if no time was given.
        case after(Duration?)
    }

    /// Who caused the failure.
    public enum Fault: String {
        /// None: the call succeeded, or was given up.
        case nobody
        /// The caller: an input that cannot be sent, a wrong type, too short a time.
        case caller
        /// The network.
        case network
        /// The service.
        case service
        /// A policy of this process, which refused the call.
        case policy
    }

    /// Whether the call did what its caller wanted.
    public var isSuccess: Bool

    /// The service's health, as the end of the call shows it.
    public var health: Health

    /// Whether another call may succeed, and when.
    public var retry: Retry

    /// Who caused the failure.
    public var fault: Fault

    /// Makes an assessment.
    public init(isSuccess: Bool, health: Health, retry: Retry, fault: Fault) {
        self.isSuccess = isSuccess
        self.health = health
        self.retry = retry
        self.fault = fault
    }

    /// A failed call.
    private init(_ health: Health, _ retry: Retry, _ fault: Fault) {
        self.init(isSuccess: false, health: health, retry: retry, fault: fault)
    }
}

extension CallAssessment {
    /// The call did what its caller wanted.
    public static let success = CallAssessment(
        isSuccess: true, health: .healthy, retry: .never, fault: .nobody)

    /// The caller gave up, or the call is not needed any more.
    public static let givenUp = CallAssessment(.unknown, .never, .nobody)

    /// The caller made a mistake: the service was not called, or did not cause the failure.
    public static let callersMistake = CallAssessment(.unknown, .never, .caller)

    /// A policy of this process refused the call.
    public static let refusal = CallAssessment(.unknown, .never, .policy)

    /// The caller's time was over.
    public static let outOfTime = CallAssessment(.unknown, .after(nil), .caller)

    /// The service works, and says that the request is wrong.
    public static let rejection = CallAssessment(.healthy, .never, .caller)

    /// The service failed, and would fail again.
    public static let failure = CallAssessment(.unhealthy, .never, .service)

    /// The service failed, and may not fail again.
    ///
    /// - Parameters:
    ///   - delay: How long the service asks to wait; nil if it does not ask.
    ///   - fault: Who caused it.
    public static func transient(
        after delay: Duration? = nil, fault: Fault = .service
    ) -> CallAssessment {
        CallAssessment(.unhealthy, .after(delay), fault)
    }
}

extension CallAssessment {
    /// Whether a policy of this process refused the call: it was not made.
    var isRefusal: Bool { health == .unknown && fault == .policy }

    /// The assessment of an outcome, which has no separate answers.
    public init(_ outcome: Outcome) {
        switch outcome {
        case .success: self = .success
        case .retryable(let delay): self = .transient(after: delay)
        case .failure: self = .failure
        case .ignorable: self = .givenUp
        }
    }

    /// The assessment of an error by the rules of ``Classifier/standard``.
    package init(of error: any Error) {
        switch error {
        case is CancellationError: self = .givenUp
        case let advising as any OutcomeAdvising: self = advising.assessment
        case is DecodingError, is EncodingError: self = .callersMistake
        default: self = .transient()
        }
    }
}

extension Outcome {
    /// The outcome for a policy: a rejection by a healthy service is a success.
    public init(_ assessment: CallAssessment) {
        let isHealthyEnd = assessment.health == .healthy && assessment.retry == .never
        self = isHealthyEnd ? .success : Outcome(forCallerOf: assessment)
    }

    /// The outcome for the caller, and for the observers of the call.
    init(forCallerOf assessment: CallAssessment) {
        switch assessment.retry {
        case _ where assessment.isSuccess: self = .success
        case .after(let delay): self = .retryable(after: delay)
        case .never: self = assessment.fault == .nobody ? .ignorable : .failure
        }
    }
}

extension CallAssessment: Hashable, Sendable {}

extension CallAssessment.Health: Sendable {}

extension CallAssessment.Retry: Hashable, Sendable {}

extension CallAssessment.Fault: Sendable {}
