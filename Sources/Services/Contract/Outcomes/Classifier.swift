import Futures

/// Assesses the end of a call for retry, breaker, hedging, budget and fallback.
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
        Outcome(assess(result))
    }

    /// Assesses one result, with separate answers.
    ///
    /// - Returns: The outcome for the policies. Called on the thread that settled the call.
    public func assess(_ result: Result<Output, any Error>) -> CallAssessment {
        if let classify { return classify(result) }
        guard case .failure(let error) = result else { return .success }
        return CallAssessment(of: error)
    }

    /// Makes a classifier.
    ///
    /// If the outcome equals that of ``standard``, the assessment is that of the standard rules.
    ///
    /// - Parameter classify: Called for each end of a call, on the thread that settled it, more than
    ///   once if several policies ask. It should be quick, and depend only on the result.
    public init(_ classify: @escaping @Sendable (Result<Output, any Error>) -> Outcome) {
        let standard = Self.standard
        self.init(classify: { result in
            let (outcome, assessment) = (classify(result), standard.assess(result))
            return outcome == Outcome(assessment) ? assessment : CallAssessment(outcome)
        })
    }

    /// Makes a classifier with separate answers.
    ///
    /// ```swift
    /// let classifier = Classifier<Page>.assessing { result in
    ///     if case .success(let page) = result, page.isStale { return .transient(fault: .network) }
    ///     return Classifier.standard.assess(result)
    /// }
    /// ```
    ///
    /// - Parameter classify: As for ``init(_:)``.
    public static func assessing(
        _ classify: @escaping @Sendable (Result<Output, any Error>) -> CallAssessment
    ) -> Classifier { Classifier(classify: classify) }

    /// Whether a future has succeeded, and only the standard rules apply.
    ///
    /// This is the path of nearly all calls, and looks up no generic type at run time.
    func isPlainSuccess(_ future: Future<Output>) -> Bool {
        classify == nil && future.hasSucceeded
    }

    /// - Parameter classify: Nil: the standard rules, for outputs that do not advise.
    private init(
        classify: (@Sendable (Result<Output, any Error>) -> CallAssessment)?
    ) {
        self.classify = classify
    }

    /// Nil for the standard rules, so that a success costs no call.
    private let classify: (@Sendable (Result<Output, any Error>) -> CallAssessment)?
}

extension Classifier {
    /// The default rules.
    ///
    /// - A value is a success; an output that is ``OutcomeAdvising`` has its own assessment.
    /// - `CancellationError`: the call was given up.
    /// - An error that is ``OutcomeAdvising`` has its own assessment.
    /// - `DecodingError` and `EncodingError`: the caller's mistake.
    /// - Any other error: the service failed, and may not fail again.
    public static var standard: Classifier {
        guard let type = Output.self as? any OutcomeAdvising.Type else {
            return Classifier(classify: nil)
        }
        let advice = Advice<Output>(of: type)
        return Classifier(classify: { result in
            switch result {
            case .success(let output): advice.assess(output)
            case .failure(let error): CallAssessment(of: error)
            }
        })
    }
}

/// The assessment by an output's own type: a cast to the protocol would copy each output into a box.
///
/// Unchecked: the metatype of a protocol that is not Sendable is not Sendable, but by contract it is used on
/// any thread.
private struct Advice<Output>: @unchecked Sendable {
    let assess: (Output) -> CallAssessment

    /// - Parameter type: `Output` itself.
    init<Advising: OutcomeAdvising>(of type: Advising.Type) {
        assess = { ($0 as! Advising).assessment }
    }
}

extension Classifier: Sendable {}
