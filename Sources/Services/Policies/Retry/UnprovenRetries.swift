/// Whether a retry repeats calls that are not known to be repeatable: without a mark in the attempt's
/// ``CallRecord``, without a request in its error, and with an input that is not ``Replayable``.
public enum UnprovenRetries: Sendable {
    /// They are repeated, and the event states it (``PolicyEvent/isUnproven``).
    case allowed
    /// They are not repeated.
    case never
}
