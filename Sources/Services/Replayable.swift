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
/// Retry and hedging read it from the input that they are given, whatever its static type, and only
/// when they are about to call again: a call that succeeds at once does not pay for it. An input
/// whose type does not conform may be repeated.
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

/// Whether a call with an input may be made twice.
///
/// The conformance is looked for in the value, since the static type may be an existential, a
/// superclass or an optional. It is a cast, some 20 ns where the answer is cached by the runtime.
func mayRepeat<Input>(_ input: Input) -> Bool {
    (input as? any Replayable)?.isReplayable ?? true
}

/// Whether a call with an input may be made again after one that ended with an error.
///
/// One that certainly did not arrive may, whatever the input, as long as there is something left to
/// call with.
func mayRepeat<Input>(_ input: Input, after error: (any Error)?) -> Bool {
    guard let input = input as? any Replayable else { return true }
    if input.isReplayable { return true }
    return (error as? any OutcomeAdvising)?.isCertainlyUnsent == true && !input.isUsedUp
}
