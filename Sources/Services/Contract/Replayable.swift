/// An input that says whether a call with it may be made twice.
///
/// ```swift
/// struct Order: Replayable {
///     var number: String?
///     /// The server processes each order number once.
///     var isReplayable: Bool { number != nil }
/// }
/// ```
///
/// Retry and hedging decide by what an attempt has sent, as its ``CallRecord`` says. If the record says nothing, they
/// read `isReplayable` of the request that the error carries (``HasRequest``), or else of the input, whatever the
/// input's static type is. They read it only when they are about to make another call, so it adds no cost to a call
/// that succeeds at once.
///
/// If the error carries no request and the input's type doesn't conform, nothing is known. A retry then repeats the
/// call if its settings allow that, and a hedge never does.
public protocol Replayable {
    /// True if a second call with this input does no harm, even after the first has had effects.
    var isReplayable: Bool { get }

    /// True if a call has used up the input, so that it can't be sent again.
    ///
    /// A call with such an input isn't repeated, even if it certainly didn't reach the service. False by default. For a
    /// stream that can be read only once, return true after its use.
    var isConsumed: Bool { get }
}

extension Replayable {
    /// False: the input isn't used up.
    public var isConsumed: Bool { false }
}

/// An error that carries the request that failed.
///
/// If an attempt's record has no mark, a policy that may repeat the call asks this request whether it is replayable.
/// The policy asks the input only if there is no request.
public protocol HasRequest: Error {
    /// The request that failed; nil if it isn't known.
    var failedRequest: (any Replayable & Sendable)? { get }
}

/// A decision about making a call again.
enum Repeatability {
    /// The call may be made again.
    case proven
    /// It isn't known whether the call may be made again.
    case unproven
    /// The call must not be made again.
    case refused

    /// Decides whether another call may follow an attempt.
    ///
    /// The input is cast to the protocol, because its static type may be an existential, a superclass or an optional.
    /// The cast takes about 20 ns if the runtime has cached the conformance.
    ///
    /// - Parameters:
    ///   - input: The input of the next call.
    ///   - verdict: The verdict on the attempt.
    ///   - error: The attempt's error; nil if the attempt is still running, or ended with a value.
    init<Input>(of input: Input, after verdict: CallRecord.Verdict, _ error: (any Error)? = nil) {
        let input = input as? any Replayable
        let unsent = (error as? any OutcomeAdvising)?.isCertainlyUnsent ?? false
        switch verdict {
        case .harmful: self = .refused
        case .repeatable: self = input?.isConsumed == true ? .refused : .proven
        case .nothing where unsent: self = input?.isConsumed == true ? .refused : .proven
        case .nothing:
            let failed: (any Replayable)? = (error as? any HasRequest)?.failedRequest
            self = (failed ?? input).map { $0.isReplayable ? .proven : .refused } ?? .unproven
        }
    }
}
