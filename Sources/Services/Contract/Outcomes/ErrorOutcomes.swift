public import PledgeFutures

// The meaning of the errors of this module and of Futures for the policies. Those of HTTP are in
// HTTPNetworking, in HTTPOutcomes.swift; the guide to errors has the whole table.

extension ServiceError: OutcomeAdvising {
    /// A refusal says nothing about the service, and is not repeated: that would add to the load that it sheds.
    ///
    /// An attempt's timeout is a failure of the service; the call's deadline is not. Both may be repeated if
    /// the call's deadline leaves time.
    public var advisedOutcome: Outcome {
        switch code {
        case .timedOut, .injected: .retryable
        case .deadlineExceeded: .outOfTime
        case .circuitOpen, .bulkheadFull, .concurrencyLimited, .queueTimedOut, .rateLimited,
            .heldBack, .throttled, .shed:
            .refusal
        }
    }

    /// A refused call never reached the service.
    public var isCertainlyUnsent: Bool { isRefusal }
}

extension FutureError: OutcomeAdvising {
    /// An abandoned promise, a cycle, and an aggregate without inputs are mistakes in the service, and would
    /// happen again.
    public var advisedOutcome: Outcome {
        switch code {
        case .abandoned, .cycle, .noInputs: .failure
        case .timedOut, .notEnsured, .allFailed: .retryable
        }
    }
}

extension AttemptSuperseded: OutcomeAdvising {
    /// The request is not needed any more.
    public var advisedOutcome: Outcome { .ignorable }

    /// The request was not sent.
    public var isCertainlyUnsent: Bool { true }
}
