/// What the end of a call means to the policies.
///
/// One ``Classifier`` decides it for retry, breaker, hedging, budget and fallback alike.
public enum Outcome {
    /// The call did what it was for.
    case success

    /// The call failed, and another may succeed.
    ///
    /// `after` is how long the other side asked to wait, nil if it said nothing.
    case retryable(after: Duration?)

    /// The call failed, and another would fail likewise.
    case failure

    /// The end says nothing about the service: the caller went away.
    ///
    /// It is neither repeated nor counted, for or against.
    case ignorable
}

extension Outcome {
    /// The call failed, another may succeed, and no time was given.
    public static var retryable: Outcome { .retryable(after: nil) }

    /// Whether the call failed, for good or not.
    public var isFailure: Bool {
        switch self {
        case .failure, .retryable: true
        case .success, .ignorable: false
        }
    }
}

extension Outcome: Hashable {}

extension Outcome: Sendable {}
