/// What a ``RequestSequence`` does when one of its requests has failed.
public enum RequestFailureRule: Hashable, Sendable {
    /// The requests after it are not sent: their completions get a ``RequestNotSent``.
    case stop
    /// The requests after it are sent nevertheless.
    case goOn
}
