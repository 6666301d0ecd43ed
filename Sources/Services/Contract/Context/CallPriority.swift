/// How important a call is, when not all calls can be served.
///
/// The levels are the criticalities of Google's services, and a service should be able to serve all calls of the
/// first two. (Beyer et al., "Site Reliability Engineering", chapter 21, "Criticality".) A more important priority
/// is greater than a less important one.
public enum CallPriority: Int, CaseIterable {
    /// Partial or even long outages do no harm: work that can be repeated later, such as a prefetch.
    case sheddable
    /// Partial outages are expected: a batch, which repeats what has failed.
    case sheddablePlus
    /// A user is affected: what a user waits for. The priority of a call that nothing else is said about.
    case critical
    /// A failure has serious consequences for a user: a payment.
    case criticalPlus
}

extension CallPriority: Comparable {
    /// Whether the left one is less important.
    public static func < (left: CallPriority, right: CallPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension CallPriority: Sendable {}
