/// An error for a caller's mistake: an input that cannot be sent, a type that does not fit.
///
/// It says nothing about the service, and another call would end in the same way.
///
/// ```swift
/// struct NoSuchSize: Error, CallerError {}
/// ```
public protocol CallerError: OutcomeAdvising {}

extension CallerError {
    /// ``Outcome/callersMistake``.
    public var advisedOutcome: Outcome { .callersMistake }
}
