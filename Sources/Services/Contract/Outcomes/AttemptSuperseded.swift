/// A request was not sent: its attempt is over, or another attempt of a hedged call sends instead.
public struct AttemptSuperseded: Error, Hashable {
    /// Makes the error.
    public init() {}
}

extension AttemptSuperseded: CodedError {
    /// The kind of error.
    public var loggedCode: String { "superseded" }
}

extension AttemptSuperseded: CustomStringConvertible {
    /// What happened.
    public var description: String {
        "not sent: its attempt is over, or another attempt of the same call sends in its place"
    }
}
