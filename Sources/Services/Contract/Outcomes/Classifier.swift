import Futures

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
        if let classify { return classify(result) }
        guard case .failure(let error) = result else { return .success }
        return Outcome(of: error)
    }

    /// Makes a classifier.
    ///
    /// - Parameter classify: Called for each end of a call, on the thread that settled it, more than
    ///   once if several policies ask. It should be quick, and depend only on the result.
    public init(_ classify: @escaping @Sendable (Result<Output, any Error>) -> Outcome) {
        self.classify = classify
    }

    /// Whether a future has succeeded, and only the standard rules apply.
    ///
    /// This is the path of nearly all calls, and looks up no generic type at run time.
    func isPlainSuccess(_ future: Future<Output>) -> Bool {
        classify == nil && future.hasSucceeded
    }

    /// The standard rules, for outputs that do not advise.
    private init() { classify = nil }

    /// Nil for the standard rules, so that a success costs no call.
    private let classify: (@Sendable (Result<Output, any Error>) -> Outcome)?
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
            return Classifier()
        }
        let advice = Advice<Output>(of: type)
        return Classifier { result in
            switch result {
            case .success(let output): advice.outcome(output)
            case .failure(let error): Outcome(of: error)
            }
        }
    }
}

/// The outcome by an output's own type: a cast to the protocol would copy each output into a box.
///
/// Unchecked: the metatype of a protocol that is not Sendable is not Sendable, but by contract it is used on
/// any thread.
private struct Advice<Output>: @unchecked Sendable {
    let outcome: (Output) -> Outcome

    /// - Parameter type: `Output` itself.
    init<Advising: OutcomeAdvising>(of type: Advising.Type) {
        outcome = { ($0 as! Advising).advisedOutcome }
    }
}

extension Classifier: Sendable {}
