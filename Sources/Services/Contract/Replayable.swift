/// An input that states whether a call with it may be made twice.
///
/// ```swift
/// struct Order: Replayable {
///     var number: String?
///     /// The server takes an order with a number once.
///     var isReplayable: Bool { number != nil }
/// }
/// ```
///
/// Retry and hedging decide by what an attempt has sent (``CallRecord``). If that is unknown, they read
/// `isReplayable` of the request that the error carries (``HasRequest``), and then of the input,
/// whatever its static type. They do so only before another call, so a call that succeeds at once does not
/// pay for it. If the input's type does not conform, nothing is known: a retry that allows it repeats the
/// input, and a hedge never does.
public protocol Replayable {
    /// Whether a second call with this input does no harm, also after the first has had effects.
    var isReplayable: Bool { get }

    /// Whether a call has used the input up, so that it cannot be sent again, even if that call certainly did
    /// not arrive.
    ///
    /// False by default. A stream that can be read only once has to return true after its use.
    var isConsumed: Bool { get }
}

extension Replayable {
    /// Not used up.
    public var isConsumed: Bool { false }
}
