/// An input that knows whether a call with it may be made twice.
///
/// ```swift
/// struct Order: Replayable {
///     var number: String?
///     /// The server takes an order with a number once.
///     var isReplayable: Bool { number != nil }
/// }
/// ```
///
/// Retry and hedging decide by what an attempt has sent (``CallRecord``). If that is unknown, they
/// ask the request that the error carries (``RequestCarrying``), and then the input, whatever its
/// static type. They do so when they are about to call again: a call that succeeds at once does not
/// pay for it. An input whose type does not conform says nothing: a retry that allows it repeats
/// the input, and a hedge never does.
public protocol Replayable {
    /// Whether a second call with this input does no harm, also after the first has been at work.
    var isReplayable: Bool { get }

    /// Whether a call has used the input up, so that there is nothing left to call with again, even
    /// if that call certainly did not arrive.
    ///
    /// False unless you say otherwise: a stream that can be read only once has to.
    var isUsedUp: Bool { get }
}

extension Replayable {
    /// Not used up.
    public var isUsedUp: Bool { false }
}
