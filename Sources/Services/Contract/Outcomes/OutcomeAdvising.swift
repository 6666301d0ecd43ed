/// An error, or an output, that knows what it means to the policies.
///
/// ```swift
/// struct ServerIsBusy: Error, OutcomeAdvising {
///     var seconds: Int
///     var advisedOutcome: Outcome { .retryable(after: .seconds(seconds)) }
/// }
/// ```
///
/// ``Classifier/standard`` follows it. An error is asked whatever its static type; an output is
/// asked if its own type conforms, which is looked up once, when the stack is built.
public protocol OutcomeAdvising {
    /// What the policies should take this for.
    var advisedOutcome: Outcome { get }

    /// What the policies should take this for, one question at a time.
    ///
    /// What ``advisedOutcome`` says, unless you say more.
    var assessment: CallAssessment { get }

    /// Whether the call has certainly not reached the service, so that it may be repeated although
    /// its input is not ``Replayable``.
    ///
    /// False unless you say otherwise. Only errors are asked.
    var isCertainlyUnsent: Bool { get }
}

extension OutcomeAdvising {
    /// What the outcome says.
    public var assessment: CallAssessment { CallAssessment(advisedOutcome) }

    /// Not certain.
    public var isCertainlyUnsent: Bool { false }
}
