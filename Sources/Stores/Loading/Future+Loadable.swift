public import Futures

extension Future {
    /// Calls a function with each state that the loading of this future's value goes through.
    ///
    /// ```swift
    /// loadProduct(7).observeLoading(after: screen.product) { screen.product = $0 }
    /// ```
    ///
    /// - Parameters:
    ///   - known: What is known so far: its value is kept while this one is loaded.
    ///   - body: Called with loading before this method returns, unless the future has settled; and
    ///     with loaded or failed on the thread that settles it. If it is cancelled, the last
    ///     call is with what ``Loadable/cancelLoading()`` makes.
    public func observeLoading(
        after known: Loadable<Value, any Error> = .idle,
        _ body: @escaping @Sendable (Loadable<Value, any Error>) -> Void
    ) {
        let state = Loadable(self, after: known)
        body(state)
        guard state.isLoading else { return }
        observe { result in
            var state = state
            state.finishLoading(withFutures: result)
            body(state)
        }
    }
}

extension Loadable where Value: Sendable, Failure == any Error {
    /// How the loading of a future's value stands now.
    ///
    /// - Parameters:
    ///   - future: The future: loading while it is pending.
    ///   - known: What is known so far.
    public init(_ future: Future<Value>, after known: Loadable = .idle) {
        self = known
        startLoading()
        if let result = future.result { finishLoading(withFutures: result) }
    }

    /// Takes a future's result.
    ///
    /// A cancelled future has neither a value nor a failure to show.
    fileprivate mutating func finishLoading(withFutures result: Result<Value, any Error>) {
        if case .failure(let error) = result, error is CancellationError {
            cancelLoading()
        } else {
            finishLoading(with: result)
        }
    }
}
