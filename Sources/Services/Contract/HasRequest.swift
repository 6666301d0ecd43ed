/// An error that carries the request that failed.
///
/// If the record of an attempt has no entry, a policy that may repeat asks the request of the error before
/// the input.
public protocol HasRequest: Error {
    /// The request that failed; nil if it is not known.
    var failedRequest: (any Replayable & Sendable)? { get }
}
