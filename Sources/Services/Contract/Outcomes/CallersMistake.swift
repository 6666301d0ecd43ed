/// An error for a caller's mistake: an input that cannot be sent, a type that does not fit.
///
/// It says nothing about the service, and another call would end in the same way.
///
/// ```swift
/// struct NoSuchSize: Error, CallersMistake {}
/// ```
public protocol CallersMistake: OutcomeAdvising {}

extension CallersMistake {
    /// ``Outcome/callersMistake``.
    public var advisedOutcome: Outcome { .callersMistake }
}
