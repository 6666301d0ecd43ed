import PledgeFutures

/// Decides what the end of a call means for retry, breaker, hedging, budget and fallback.
///
/// ```swift
/// let classifier = Classifier<Page> { result in
///     if case .success(let page) = result, page.isEmpty { return .retryable(after: nil) }
///     return Classifier.standard(result)
/// }
/// let api = stack(.retry(classifier: classifier), over: loadPage)
/// ```
///
/// It does not decide whether an *input* may be repeated: see ``Replayable``.
public struct Classifier<Output: Sendable> {
    /// Decides for one result.
    ///
    /// - Returns: The outcome for the policies. Called on the thread that settled the call.
    public func callAsFunction(_ result: Result<Output, any Error>) -> Outcome {
        switch (rules, result) {
        case (.own(let classify), _): classify(result)
        case (_, .failure(let error)): Outcome(of: error)
        case (.advice(let advice), .success(let output)): advice.outcome(output)
        case (.standard, .success): .success
        }
    }

    /// Makes a classifier.
    ///
    /// - Parameter classify: Called for each end of a call, on the thread that settled it, more than
    ///   once if several policies ask. It should be quick, and depend only on the result.
    public init(_ classify: @escaping @Sendable (Result<Output, any Error>) -> Outcome) {
        rules = .own(classify)
    }

    /// Whether a future has succeeded, and is a success by the standard rules.
    ///
    /// This is the path of nearly all calls, and looks up no generic type at run time.
    func isPlainSuccess(_ future: Future<Output>) -> Bool {
        switch rules {
        case .standard: future.hasSucceeded
        case .advice(let advice): future.hasSucceeded { advice.outcome($0) == .success }
        case .own: false
        }
    }

    private init(_ rules: Rules) { self.rules = rules }

    private enum Rules {
        /// The standard rules, for outputs that do not advise.
        case standard
        /// The standard rules, for those that do.
        case advice(Advice<Output>)
        case own(@Sendable (Result<Output, any Error>) -> Outcome)
    }

    private let rules: Rules
}

extension Classifier {
    /// The default rules.
    ///
    /// - A value is a success; an output that is ``OutcomeAdvising`` has its own outcome.
    /// - `CancellationError`: the call was given up.
    /// - An error that is ``OutcomeAdvising`` has its own outcome.
    /// - `DecodingError` and `EncodingError`: the caller's mistake.
    /// - Any other error: the service failed, and may not fail again.
    public static var standard: Classifier {
        guard let type = Output.self as? any OutcomeAdvising.Type else {
            return Classifier(.standard)
        }
        return Classifier(.advice(Advice(of: type)))
    }
}

/// The outcome by an output's own type: a cast to the protocol would copy each output into a box.
///
/// Unchecked: the metatype of a protocol that is not Sendable is not Sendable, but by contract it is used on
/// any thread.
private final class Advice<Output>: @unchecked Sendable {
    let outcome: (Output) -> Outcome

    /// - Parameter type: `Output` itself.
    init<Advising: OutcomeAdvising>(of type: Advising.Type) {
        // The closure is cast, once, and not each output.
        outcome = { (output: Advising) in output.advisedOutcome } as Any as! (Output) -> Outcome
    }
}

extension Classifier: Sendable {}
