/// An error, or an output, that has its own outcome for the policies.
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
    /// The outcome of this for the policies.
    var advisedOutcome: Outcome { get }

    /// Whether the call has certainly not reached the service, so that it may be repeated although
    /// its input is not ``Replayable``.
    ///
    /// False by default. Only errors are asked.
    var isCertainlyUnsent: Bool { get }
}

extension OutcomeAdvising {
    /// Not certain.
    public var isCertainlyUnsent: Bool { false }
}
