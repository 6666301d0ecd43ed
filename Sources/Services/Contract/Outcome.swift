public import PledgeFutures

/// The meaning of a call's end for the policies.
///
/// Each policy reads one property. Retry and hedge read ``retry``, a circuit breaker reads ``health``, and a fallback
/// and observers read ``isSuccess``. A ``Classifier`` decides once for all of them.
public struct Outcome: Hashable, Sendable {
    /// The service's health, as the end of a call shows it.
    public enum Health: Sendable {
        /// The service worked, even if it answered that a request is wrong.
        case healthy
        /// The service failed, or did not answer in time.
        case unhealthy
        /// The service wasn't called, or its answer wasn't awaited.
        case unknown
    }

    /// The prospects of another call.
    public enum Retry: Hashable, Sendable {
        /// Another call would end in the same way.
        case never
        /// Another call may succeed after this time; nil if no time was given.
        case after(Duration?)
    }

    /// The party that caused a failure.
    package enum Fault: Sendable {
        /// The call succeeded, or was cancelled.
        case nobody
        /// The caller, with an input that can't be sent, a wrong type, or too short a time limit.
        case caller
        /// The network.
        case network
        /// The service.
        case service
        /// A policy of this process, which refused the call.
        case policy
    }

    /// True if the call did what its caller wanted.
    public var isSuccess: Bool

    /// The service's health, as the end of the call shows it.
    public var health: Health

    /// The prospects of another call, and when to make it.
    public var retry: Outcome.Retry

    /// The party that caused the failure.
    package var fault: Fault

    /// Creates an outcome.
    package init(isSuccess: Bool, health: Health, retry: Outcome.Retry, fault: Fault) {
        self.isSuccess = isSuccess
        self.health = health
        self.retry = retry
        self.fault = fault
    }

    /// Creates the outcome of a failed call.
    private init(_ health: Health, _ retry: Outcome.Retry, _ fault: Fault) {
        self.init(isSuccess: false, health: health, retry: retry, fault: fault)
    }
}

extension Outcome {
    /// The call did what its caller wanted.
    public static let success = Outcome(
        isSuccess: true, health: .healthy, retry: .never, fault: .nobody)

    /// The service failed, and would fail again.
    public static let failure = Outcome(.unhealthy, .never, .service)

    /// The service failed without asking for a wait, but another call may succeed.
    public static let retryable = Outcome(.unhealthy, .after(nil), .service)

    /// The service failed, but another call may succeed.
    ///
    /// - Parameter delay: The wait that the service asks for; nil if it doesn't ask.
    public static func retryable(after delay: Duration?) -> Outcome {
        Outcome(.unhealthy, .after(delay), .service)
    }

    /// Another call may succeed, and the service isn't to blame.
    package static func retryable(after delay: Duration? = nil, fault: Fault) -> Outcome {
        Outcome(.unhealthy, .after(delay), fault)
    }

    /// The service works, and says that the request is wrong.
    public static let rejection = Outcome(.healthy, .never, .caller)

    /// The caller made a mistake: the service wasn't called, or isn't to blame.
    public static let callersMistake = Outcome(.unknown, .never, .caller)

    /// A policy of this process refused the call.
    package static let refusal = Outcome(.unknown, .never, .policy)

    /// The caller's time ran out.
    package static let outOfTime = Outcome(.unknown, .after(nil), .caller)

    /// The call was cancelled or is no longer needed, so it isn't repeated or counted.
    public static let ignorable = Outcome(.unknown, .never, .nobody)
}

extension Outcome {
    /// True if the caller wanted a result and didn't get it.
    ///
    /// False for a cancelled call.
    package var isFailure: Bool { !isSuccess && (retry != .never || fault != .nobody) }

    /// True if a policy of this process refused the call, so that it wasn't made.
    var isRefusal: Bool { health == .unknown && fault == .policy }

    /// True if the service has answered, even if only to say that the request is wrong.
    var isAnswer: Bool { isSuccess || health == .healthy && retry == .never }

    /// Creates the outcome of an error by the rules of ``Classifier/standard``.
    package init(of error: any Error) {
        switch error {
        case is CancellationError: self = .ignorable
        case let advising as any OutcomeAdvising: self = advising.advisedOutcome
        case is DecodingError, is EncodingError: self = .callersMistake
        default: self = .retryable
        }
    }
}

// The outcomes of the errors of this module and of Futures. HTTPOutcomes.swift in HTTPMessages has the outcomes of
// HTTP's errors, and the guide to errors has the whole table.

extension ServiceError: AdvisingError {
    /// The outcome for the error's ``code``.
    ///
    /// A refusal says nothing about the service. It isn't repeated, because another call would add to the load that the
    /// refusal is meant to reduce.
    ///
    /// An attempt's timeout counts as the service's failure; a passed deadline doesn't. After either, a policy further out
    /// may repeat the call, if its own deadline is later.
    package var outcome: Outcome {
        switch code {
        case .deadlineExceeded: .outOfTime
        case .superseded: .ignorable
        case .tooManyPages: .callersMistake
        default: isRefusal ? .refusal : .retryable
        }
    }

    /// True for a refusal, which never reaches the service.
    package var isCertainlyUnsent: Bool { isRefusal || code == .superseded }
}

extension FutureError: AdvisingError {
    /// The outcome by the error's code.
    ///
    /// An abandoned promise, a cycle, and an aggregate without inputs are mistakes in the service's code, and would
    /// happen again.
    package var outcome: Outcome {
        switch code {
        case .abandoned, .cycle, .noInputs: .failure
        default: .retryable
        }
    }
}
