/// The outcome of a call: what its end means, with a separate answer for each question.
///
/// Each policy reads one part: retry and hedge read ``retry``, a circuit breaker reads ``health``, a fallback
/// and observers read ``isSuccess``. A ``Classifier`` decides it once for all of them.
public struct Outcome {
    /// The service's health, as the end of a call shows it.
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

    /// Who caused a failure.
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

    /// Makes an outcome.
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

extension Outcome {
    /// The call did what its caller wanted.
    public static let success = Outcome(
        isSuccess: true, health: .healthy, retry: .never, fault: .nobody)

    /// The service failed, and would fail again.
    public static let failure = Outcome(.unhealthy, .never, .service)

    /// The service failed, may not fail again, and does not ask to wait.
    public static let retryable = Outcome(.unhealthy, .after(nil), .service)

    /// The service failed, and may not fail again.
    ///
    /// - Parameters:
    ///   - delay: How long the service asks to wait; nil if it does not ask.
    ///   - fault: Who caused it.
    public static func retryable(after delay: Duration? = nil, fault: Fault = .service) -> Outcome {
        Outcome(.unhealthy, .after(delay), fault)
    }

    /// The service works, and says that the request is wrong.
    public static let rejection = Outcome(.healthy, .never, .caller)

    /// The caller made a mistake: the service was not called, or did not cause the failure.
    public static let callersMistake = Outcome(.unknown, .never, .caller)

    /// A policy of this process refused the call.
    public static let refusal = Outcome(.unknown, .never, .policy)

    /// The caller's time was over.
    public static let outOfTime = Outcome(.unknown, .after(nil), .caller)

    /// The caller gave up, or the call is not needed any more: it is neither repeated nor counted.
    public static let ignorable = Outcome(.unknown, .never, .nobody)
}

extension Outcome {
    /// Whether the caller did not get what it wanted, and has not given up.
    public var isFailure: Bool { !isSuccess && (retry != .never || fault != .nobody) }

    /// Whether a policy of this process refused the call: it was not made.
    var isRefusal: Bool { health == .unknown && fault == .policy }

    /// Whether the service has answered, if only that the request is wrong.
    var isAnswer: Bool { isSuccess || health == .healthy && retry == .never }

    /// The outcome of an error by the rules of ``Classifier/standard``.
    package init(of error: any Error) {
        switch error {
        case is CancellationError: self = .ignorable
        case let advising as any OutcomeAdvising: self = advising.advisedOutcome
        case is DecodingError, is EncodingError: self = .callersMistake
        default: self = .retryable
        }
    }
}

extension Outcome: Hashable, Sendable {}

extension Outcome.Health: Sendable {}

extension Outcome.Retry: Hashable, Sendable {}

extension Outcome.Fault: Sendable {}
