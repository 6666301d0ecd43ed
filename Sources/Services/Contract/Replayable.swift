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
/// It's all that policies ask an input of your own, whatever the input's static type is. They ask only when they need
/// the answer, so a call that succeeds at once pays nothing.
///
/// Retry and hedging decide by what an attempt has sent, if its transport notes that. Otherwise they read
/// `isReplayable` of the request that the error carries, or else of the input. If the error carries no request and the
/// input's type doesn't conform, nothing is known. A retry then repeats the call if its settings allow that, and a
/// hedge never does.
public protocol Replayable {
    /// True if a second call with this input does no harm, even after the first has had effects.
    var isReplayable: Bool { get }
}

/// A request of this package: it has a name, and a call can use it up.
package protocol NamedRequest: Replayable {
    /// True if a call has used up the input, so that it can't be sent again.
    ///
    /// A call with such an input isn't repeated, even if it certainly didn't reach the service. A stream that can be
    /// read only once returns true after its use.
    var isConsumed: Bool { get }

    /// The input's name in logs and in the errors of policies, such as a timeout's; empty for none.
    ///
    /// It must not hold secrets. Nothing else is written about an input.
    var loggedName: String { get }
}

extension NamedRequest {
    package var isConsumed: Bool { false }

    package var loggedName: String { "" }
}

/// Returns an input's name for logs, or nil if it has none.
package func loggedName(of input: some Sendable) -> String? {
    (input as? any NamedRequest).flatMap { $0.loggedName.isEmpty ? nil : $0.loggedName }
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
        let error = error as? any AdvisingError
        if (input as? any NamedRequest)?.isConsumed == true {
            self = .refused
            return
        }
        switch verdict {
        case .harmful: self = .refused
        case .repeatable: self = .proven
        case .nothing where error?.isCertainlyUnsent == true: self = .proven
        case .nothing:
            let failed: (any Replayable)? = error?.failedRequest
            self = (failed ?? input).map { $0.isReplayable ? .proven : .refused } ?? .unproven
        }
    }
}
