/// The outcome of a call for the policies.
///
/// One ``Classifier`` decides it for retry, breaker, hedging, budget and fallback alike.
public enum Outcome {
    /// The call succeeded.
    case success

    /// The call failed, and another may succeed.
    ///
    /// `after` is how long the other side asked to wait; nil if it did not ask.
    case retryable(after: Duration?)

    /// The call failed, and another would fail likewise.
    case failure

    /// The end says nothing about the service: the caller gave up.
    ///
    /// The call is neither repeated nor counted.
    case ignorable
}

extension Outcome {
    /// The call failed, another may succeed, and no time was given.
    public static var retryable: Outcome { .retryable(after: nil) }

    /// Whether the call failed, retryable or not.
    public var isFailure: Bool {
        switch self {
        case .failure, .retryable: true
        case .success, .ignorable: false
        }
    }
}

extension Outcome: Hashable {}

extension Outcome: Sendable {}
