/// An error that knows which request failed.
///
/// If the record of an attempt has no entry, a policy that may repeat asks the request of its error
/// before it asks the input.
public protocol RequestCarrying: Error {
    /// The request that failed, nil where it is not known.
    var failedRequest: (any Replayable & Sendable)? { get }
}
