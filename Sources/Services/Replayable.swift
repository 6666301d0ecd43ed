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
/// Retry and hedging decide by what an attempt has sent (``CallRecord``). Where nothing is known of that, they
/// ask the request that the error carries (``RequestCarrying``), and then the input that they are given,
/// whatever its static type. They do so when they are about to call again: a call that succeeds at once
/// does not pay for it. Of an input whose type does not conform nothing is known: it is repeated by a retry that
/// allows it, and never hedged.
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

/// An error that knows which request failed.
///
/// Where nobody has noted what an attempt sent, a policy that may repeat asks the request of its error before it
/// asks the input.
public protocol RequestCarrying: Error {
    /// The request that failed, nil where it is not known.
    var failedRequest: (any Replayable & Sendable)? { get }
}

/// Whether a call may be made again.
enum Repeatability {
    /// It may.
    case proven
    /// Nothing says that it may not.
    case unproven
    /// It may not.
    case refused

    /// Decides for a call after an attempt.
    ///
    /// The conformance is looked for in the value, since the static type of the input may be an existential, a
    /// superclass or an optional. It is a cast, some 20 ns where the answer is cached by the runtime.
    ///
    /// - Parameters:
    ///   - input: What the call would be made with.
    ///   - verdict: What the attempt has done.
    ///   - error: What it ended with; nil where it goes on, or ended with a value.
    init<Input>(of input: Input, after verdict: CallRecord.Verdict, _ error: (any Error)? = nil) {
        let input = input as? any Replayable
        let unsent = (error as? any OutcomeAdvising)?.isCertainlyUnsent ?? false
        switch verdict {
        case .harmful: self = .refused
        case .repeatable: self = input?.isUsedUp == true ? .refused : .proven
        case .nothing where unsent: self = input?.isUsedUp == true ? .refused : .proven
        case .nothing:
            let failed: (any Replayable)? = (error as? any RequestCarrying)?.failedRequest
            self = (failed ?? input).map { $0.isReplayable ? .proven : .refused } ?? .unproven
        }
    }
}
