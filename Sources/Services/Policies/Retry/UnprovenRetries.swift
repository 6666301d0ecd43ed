/// What a retry does with calls of which nothing says whether they may be made twice: no mark in the attempt's
/// ``CallRecord``, no request in its error, and an input that is not ``Replayable``.
public enum UnprovenRetries: Sendable {
    /// They are repeated, and the event says so (``PolicyEvent/isUnproven``).
    case allowed
    /// They are not repeated.
    case never
}
