public import Dispatch
public import PledgeFutures

extension Future {
    /// Calls a function with each state of the loading of this future's value.
    ///
    /// ```swift
    /// loadProduct(7).observeLoading(after: screen.product) { screen.product = $0 }
    /// ```
    ///
    /// - Parameters:
    ///   - known: The state so far: its value is kept while this one is loaded.
    ///   - body: Called with loading before this method returns, unless the future has settled; and
    ///     with loaded or failed on the thread that settles it. If the future is cancelled, the last call is
    ///     with the state that ``Loadable/cancelLoading()`` makes.
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

extension Future {
    /// Calls a function on a dispatch queue with each state of the loading.
    ///
    /// - Parameters:
    ///   - queue: Where to call it. On a serial queue the states come in their order.
    ///   - known: The state so far: its value is kept while this one is loaded.
    ///   - body: Called as with ``observeLoading(after:_:)``, but always asynchronously, also with
    ///     loading.
    public func observeLoading(
        on queue: DispatchQueue,
        after known: Loadable<Value, any Error> = .idle,
        _ body: @escaping @Sendable (Loadable<Value, any Error>) -> Void
    ) {
        observeLoading(after: known) { state in queue.async { body(state) } }
    }

    /// Calls a function on the main actor with each state of the loading.
    ///
    /// ```swift
    /// loadProduct(7).observeLoading(on: MainActor.shared) { self.product = $0 }
    /// ```
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - known: The state so far: its value is kept while this one is loaded.
    ///   - body: Called as with ``observeLoading(after:_:)`` and in the same order, but always
    ///     asynchronously, also with loading.
    public func observeLoading(
        on actor: MainActor,
        after known: Loadable<Value, any Error> = .idle,
        _ body: @escaping @MainActor @Sendable (Loadable<Value, any Error>) -> Void
    ) {
        // The main actor's executor is the main queue, which keeps the order.
        observeLoading(on: .main, after: known) { state in
            MainActor.assumeIsolated { body(state) }
        }
    }
}

extension Loadable where Value: Sendable, Failure == any Error {
    /// Makes the current state of the loading of a future's value.
    ///
    /// - Parameters:
    ///   - future: The future: loading while it is pending.
    ///   - known: The state so far.
    public init(_ future: Future<Value>, after known: Loadable = .idle) {
        self = known
        startLoading()
        if let result = future.result { finishLoading(withFutures: result) }
    }

    /// Takes a future's result.
    ///
    /// A cancelled future has neither a value nor a failure.
    fileprivate mutating func finishLoading(withFutures result: Result<Value, any Error>) {
        if case .failure(let error) = result, error is CancellationError {
            cancelLoading()
        } else {
            finishLoading(with: result)
        }
    }
}
