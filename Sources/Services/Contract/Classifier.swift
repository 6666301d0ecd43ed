package import PledgeFutures

/// A function that decides what the end of a call means for the policies.
///
/// ```swift
/// let classifier = Classifier<Page> { result in
///     if case .success(let page) = result, page.isEmpty { return .retryable(after: nil) }
///     return Classifier.standard(result)
/// }
/// let api = stack(.retry(classifier: classifier), over: loadPage)
/// ```
///
/// Retry, breaker, hedging, budget and fallback follow its decision. It doesn't decide whether an *input* may be
/// repeated; see ``Replayable``.
public struct Classifier<Output: Sendable>: Sendable {
    /// Returns the outcome of a result.
    ///
    /// Policies call this on the thread that settled the call.
    public func callAsFunction(_ result: Result<Output, any Error>) -> Outcome {
        switch (rules, result) {
        case (.own(let classify), _): classify(result)
        case (_, .failure(let error)): Outcome(of: error)
        case (.advice(let advice), .success(let output)): advice.outcome(output)
        case (.standard, .success): .success
        }
    }

    /// Creates a classifier.
    ///
    /// - Parameter classify: Returns the outcome of a result. Each policy that needs the outcome calls it once for each
    ///   call that ends, on the thread that settled the call. It should be quick, and depend only on the result.
    public init(_ classify: @escaping @Sendable (Result<Output, any Error>) -> Outcome) {
        rules = .own(classify)
    }

    /// Returns whether a future has already succeeded with a value that is a success by the standard rules.
    ///
    /// Nearly all calls take this path, so it avoids looking up generic types at run time.
    package func isPlainSuccess(_ future: Future<Output>) -> Bool {
        switch rules {
        case .standard: future.hasSucceeded
        case .advice(let advice): future.hasSucceeded { advice.outcome($0) == .success }
        case .own: false
        }
    }

    private init(_ rules: Rules) { self.rules = rules }

    private enum Rules {
        /// The standard rules, for outputs that don't give advice.
        case standard
        /// The standard rules, for outputs that are ``OutcomeAdvising``.
        case advice(Advice<Output>)
        case own(@Sendable (Result<Output, any Error>) -> Outcome)
    }

    private let rules: Rules
}

extension Classifier {
    /// The default rules.
    ///
    /// - A value is a success. If the output type is ``OutcomeAdvising``, the value's own outcome counts instead.
    /// - `CancellationError` means that the call was cancelled.
    /// - An error that is ``OutcomeAdvising`` has its own outcome.
    /// - `DecodingError` and `EncodingError` are the caller's mistake.
    /// - Any other error means that the service failed, but that another call may succeed.
    public static var standard: Classifier {
        guard let type = Output.self as? any OutcomeAdvising.Type else {
            return Classifier(.standard)
        }
        return Classifier(.advice(Advice(of: type)))
    }
}

/// The outcome that an output's own type advises.
///
/// This type holds a function that reads the advice without a cast, because a cast to the protocol would copy each
/// output into a box.
///
/// Unchecked: the protocol isn't Sendable, so its metatype isn't either. By contract, `advisedOutcome` may be read on
/// any thread.
private final class Advice<Output>: @unchecked Sendable {
    let outcome: (Output) -> Outcome

    /// Creates the function that reads an output's advice.
    ///
    /// - Parameter type: `Output` itself.
    init<Advising: OutcomeAdvising>(of type: Advising.Type) {
        // The closure is cast once, so that no output has to be cast.
        outcome = { (output: Advising) in output.advisedOutcome } as Any as! (Output) -> Outcome
    }
}

/// An error or an output that has its own outcome for the policies.
///
/// ```swift
/// struct ServerIsBusy: Error, OutcomeAdvising {
///     var seconds: Int
///     var advisedOutcome: Outcome { .retryable(after: .seconds(seconds)) }
/// }
/// ```
///
/// ``Classifier/standard`` follows the advice. It asks every error that conforms, whatever the error's static type is.
/// It asks an output only if the service's output type conforms. The output type is checked once, when the stack is
/// built.
public protocol OutcomeAdvising {
    /// The outcome for the policies.
    var advisedOutcome: Outcome { get }
}

/// An error of this package: an outcome, and what is known about the request.
package protocol AdvisingError: OutcomeAdvising {
    /// The outcome for the policies.
    var outcome: Outcome { get }

    /// True if the call has certainly not reached the service.
    ///
    /// If so, the call may be repeated even if its input isn't ``Replayable``.
    var isCertainlyUnsent: Bool { get }

    /// The request that failed; nil if it isn't known.
    ///
    /// If an attempt's ``CallRecord`` is empty, a policy that may repeat the call asks this request whether it is
    /// replayable. The policy asks the input only if there is no request.
    var failedRequest: (any Replayable & Sendable)? { get }
}

extension AdvisingError {
    /// The outcome for the policies.
    public var advisedOutcome: Outcome { outcome }

    package var isCertainlyUnsent: Bool { false }

    package var failedRequest: (any Replayable & Sendable)? { nil }
}

/// An error for a caller's mistake, such as an input that can't be sent, or an answer of an unexpected type.
///
/// It says nothing about the service, and another call would end in the same way.
package protocol CallerError: AdvisingError {}

extension CallerError {
    package var outcome: Outcome { .callersMistake }
}
