import Futures

/// Decides what the end of a call means: for retry, breaker, hedging, budget and fallback alike.
///
/// ```swift
/// let classifier = Classifier<Page> { result in
///     if case .success(let page) = result, page.isEmpty { return .retryable(after: nil) }
///     return Classifier.standard(result)
/// }
/// let api = stack(.retry(classifier: classifier), over: loadPage)
/// ```
///
/// Whether an *input* may be repeated is not its concern: see ``Replayable``.
public struct Classifier<Output: Sendable> {
    /// Decides for one result.
    ///
    /// - Returns: What the policies take it for. On the thread that settled the call.
    public func callAsFunction(_ result: Result<Output, any Error>) -> Outcome {
        if let classify { return classify(result) }
        guard case .failure(let error) = result else { return .success }
        return Outcome(of: error)
    }

    /// Makes a classifier.
    ///
    /// - Parameter classify: Called for each end of a call, on the thread that settled it, more than
    ///   once if several policies ask. It should be quick, and depend on nothing but the result.
    public init(_ classify: @escaping @Sendable (Result<Output, any Error>) -> Outcome) {
        self.classify = classify
    }

    /// Whether a future has succeeded, and no rule but the standard one is to be asked.
    ///
    /// This is the way of nearly all calls, and needs no generic type to be looked up at run time.
    func isPlainSuccess(_ future: Future<Output>) -> Bool {
        classify == nil && future.hasSucceeded
    }

    /// The standard rules, for outputs that do not advise.
    private init() { classify = nil }

    /// Nil for the standard rules, so that a success costs no call.
    private let classify: (@Sendable (Result<Output, any Error>) -> Outcome)?
}

extension Classifier {
    /// The rules that hold where nothing else is said.
    ///
    /// - A value is a success, an output that is ``OutcomeAdvising`` what it advises.
    /// - `CancellationError` is ignorable: the caller went away.
    /// - An error that is ``OutcomeAdvising`` is what it advises; a ``ServiceError`` by which a
    ///   breaker or a limiter refused is thereby a failure.
    /// - An abandoned promise (`FutureError.Code.abandoned`) is a failure: it is a mistake in the
    ///   program, and another call would meet it again.
    /// - Any other error is retryable.
    public static var standard: Classifier {
        guard Output.self is any OutcomeAdvising.Type else { return Classifier() }
        return Classifier { result in
            switch result {
            case .success(let output): (output as? any OutcomeAdvising)?.advisedOutcome ?? .success
            case .failure(let error): Outcome(of: error)
            }
        }
    }
}

extension Outcome {
    /// What an error means by the standard rules.
    init(of error: any Error) {
        switch error {
        case is CancellationError: self = .ignorable
        case let advising as any OutcomeAdvising: self = advising.advisedOutcome
        case let error as FutureError where error.code == .abandoned: self = .failure
        default: self = .retryable(after: nil)
        }
    }
}

extension Classifier: Sendable {}
