public import Futures

// The meaning of the errors of this module and of Futures for the policies. Those of HTTP are in
// HTTPNetworking, in a file of the same name; the guide to errors has the whole table.

extension ServiceError: OutcomeAdvising {
    /// A refusal says nothing about the service, and is not repeated: that would add to the load that it sheds.
    ///
    /// An attempt's timeout is a failure of the service; the call's deadline is not. Both may be repeated if
    /// the call's deadline leaves time.
    public var assessment: CallAssessment {
        switch code {
        case .timedOut, .injected: .transient()
        case .deadlineExceeded: .outOfTime
        case .circuitOpen, .bulkheadFull, .concurrencyLimited, .queueTimedOut, .rateLimited,
            .throttled, .shed:
            .refusal
        }
    }

    /// The outcome of ``assessment``.
    public var advisedOutcome: Outcome { Outcome(assessment) }

    /// A refused call never reached the service.
    public var isCertainlyUnsent: Bool { isRefusal }
}

extension FutureError: OutcomeAdvising {
    /// An abandoned promise, a cycle, and an aggregate without inputs are mistakes in the service, and would
    /// happen again.
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
