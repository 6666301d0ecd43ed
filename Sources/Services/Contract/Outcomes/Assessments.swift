public import Futures

// What the errors of this module and of Futures mean to the policies. Those of HTTP stand in HTTPNetworking,
// in a file of the same name; the guide to errors has the whole table.

extension ServiceError: OutcomeAdvising {
    /// A refusal says nothing about the service, and is not repeated: that would add to the load that it sheds.
    ///
    /// The end of an attempt's time is the service's failure, the end of the call's time is not. Both may be
    /// repeated as far as the call's deadline leaves time.
    public var assessment: CallAssessment {
        switch code {
        case .timedOut, .injected: .transient()
        case .deadlineExceeded: .outOfTime
        case .circuitOpen, .bulkheadFull, .queueTimedOut, .rateLimited: .refusal
        }
    }

    /// The outcome of ``assessment``.
    public var advisedOutcome: Outcome { Outcome(assessment) }

    /// A refused call never reached the service.
    public var isCertainlyUnsent: Bool { isRefusal }
}

extension FutureError: OutcomeAdvising {
    /// A promise that was abandoned, a cycle, and an aggregate of nothing are mistakes in the service, and would
    /// come again.
    public var assessment: CallAssessment {
        switch code {
        case .abandoned, .cycle, .noInputs: .failure
        case .timedOut, .notEnsured, .allFailed: .transient()
        }
    }

    /// The outcome of ``assessment``.
    public var advisedOutcome: Outcome { Outcome(assessment) }
}

extension Superseded: OutcomeAdvising {
    /// The request is not needed any more.
    public var assessment: CallAssessment { .givenUp }

    /// The outcome of ``assessment``.
    public var advisedOutcome: Outcome { Outcome(assessment) }

    /// The request was not sent.
    public var isCertainlyUnsent: Bool { true }
}
