/// The loading state of one value: exactly one of four cases.
///
/// ```swift
/// switch product {
/// case .idle: show("")
/// case .loading(let previous): show(previous?.name ?? "Loading")
/// case .loaded(let product, let isStale): show(product.name, dimmed: isStale)
/// case .failed(let error, let previous): show(previous?.name ?? "\(error)")
/// }
/// ```
///
/// Unlike flags, the cases can't contradict each other: a value is never loading and failed at once. The known
/// value is kept until a newer one arrives. A reducer changes the state with ``startLoading()``,
/// ``finishLoading(with:)``, ``invalidate()`` and ``cancelLoading()``.
public enum Loadable<Value, Failure> {
    /// Not requested.
    ///
    /// Next state: loading, or any other state if the answer is available at once.
    case idle
    /// Requested; `previous` is the value known before.
    ///
    /// Next state: loaded or failed. After cancelling: loaded and stale, or idle.
    case loading(previous: Value? = nil)
    /// Loaded; `stale` says that there may be a newer value.
    ///
    /// Next state: loading.
    case loaded(Value, stale: Bool = false)
    /// Failed; `previous` is the value known before.
    ///
    /// Next state: loading.
    case failed(Failure, previous: Value? = nil)
}

extension Loadable {
    /// The newest known value; nil if there is none.
    ///
    /// It stays known while a newer value is loading, and also if the newer value can't be loaded.
    public var value: Value? {
        switch self {
        case .idle: nil
        case .loading(let previous): previous
        case .loaded(let value, _): value
        case .failed(_, let previous): previous
        }
    }

    /// The error; nil unless the loading has failed.
    public var error: Failure? {
        if case .failed(let error, _) = self { error } else { nil }
    }

    /// True from a request until its value or its error arrives.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// True if there may be a newer value than ``value``.
    ///
    /// It's false if the value is loaded and fresh, or if there is no value.
    public var isStale: Bool {
        if case .loaded(_, let stale) = self { stale } else { value != nil }
    }
}

extension Loadable: Equatable where Value: Equatable, Failure: Equatable {}

extension Loadable: Hashable where Value: Hashable, Failure: Hashable {}

extension Loadable: Sendable where Value: Sendable, Failure: Sendable {}

extension Loadable {
    /// Changes to loading, and keeps the known value.
    ///
    /// Call it in a reducer for the event that asks for the value. While loading, it changes nothing.
    public mutating func startLoading() {
        self = .loading(previous: value)
    }

    /// Changes to loaded or failed.
    ///
    /// - Parameter result: The answer. If it's a failure, the known value is kept.
    public mutating func finishLoading(with result: Result<Value, Failure>)
    where Failure: Error {
        switch result {
        case .success(let value): self = .loaded(value)
        case .failure(let error): self = .failed(error, previous: value)
        }
    }

    /// Marks a loaded value as stale: there may be a newer one.
    ///
    /// In any other state nothing happens: idle has no value, and a value in another state counts as stale anyway.
    public mutating func invalidate() {
        if case .loaded(let value, _) = self { self = .loaded(value, stale: true) }
    }

    /// Changes back from loading to loaded and stale, or to idle if no value is known.
    ///
    /// In any other state nothing happens.
    public mutating func cancelLoading() {
        guard case .loading(let previous) = self else { return }
        self = previous.map { .loaded($0, stale: true) } ?? .idle
    }

    /// Changes to idle, and discards the known value.
    public mutating func reset() { self = .idle }
}

extension Loadable where Failure: Error {
    /// Creates a state from a result.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - previous: The value known before.
    public init(_ result: Result<Value, Failure>, previous: Value? = nil) {
        self = .loading(previous: previous)
        finishLoading(with: result)
    }
}

extension Loadable {
    /// Transforms the value or the previous value.
    ///
    /// ```swift
    /// let name = product.map(\.name)
    /// ```
    ///
    /// - Parameter transform: Called at most once, before this returns, and not at all if no value is known.
    /// - Returns: The same state with the new value.
    /// - Throws: The error of `transform`.
    public func map<NewValue>(
        _ transform: (Value) throws -> NewValue
    ) rethrows -> Loadable<NewValue, Failure> {
        switch self {
        case .idle: .idle
        case .loading(let previous): .loading(previous: try previous.map(transform))
        case .loaded(let value, let stale): .loaded(try transform(value), stale: stale)
        case .failed(let error, let previous):
            .failed(error, previous: try previous.map(transform))
        }
    }

    /// Transforms the error.
    ///
    /// - Parameter transform: Called at most once, before this returns, and only if the loading has failed.
    /// - Returns: The same state with the new error.
    /// - Throws: The error of `transform`.
    public func mapError<NewFailure>(
        _ transform: (Failure) throws -> NewFailure
    ) rethrows -> Loadable<Value, NewFailure> {
        switch self {
        case .idle: .idle
        case .loading(let previous): .loading(previous: previous)
        case .loaded(let value, let stale): .loaded(value, stale: stale)
        case .failed(let error, let previous):
            .failed(try transform(error), previous: previous)
        }
    }
}

/// Combines loadable values into one, which is loaded when all of them are loaded.
///
/// ```swift
/// let screen = zip(product, reviews).map { product, reviews in Page(product, reviews) }
/// ```
///
/// The result has the first of these states that applies:
/// - failed with the leftmost error, if a value has failed
/// - loading, if a value is loading
/// - idle, if a value is idle
/// - loaded, and stale if a value is stale
///
/// The result has a `value` exactly if every loadable value has a value or a previous value.
///
/// - Parameter loadables: The loadable values, any number of them. Without values, the result is loaded.
/// - Returns: The values as a tuple, in exactly one state.
public func zip<each Value, Failure>(
    _ loadables: repeat Loadable<each Value, Failure>
) -> Loadable<(repeat each Value), Failure> {
    var rank = Precedence.loaded
    var stale = false
    var error: Failure?
    for loadable in repeat each loadables {
        rank = max(rank, Precedence(of: loadable))
        stale = stale || loadable.isStale
        error = error ?? loadable.error
    }
    let values = try? (repeat (each loadables).known())
    switch (rank, error, values) {
    case (_, let error?, _): return .failed(error, previous: values)
    case (.loading, _, _): return .loading(previous: values)
    case (.loaded, _, let values?): return .loaded(values, stale: stale)
    default: return .idle
    }
}

extension Loadable {
    /// Combines this loadable value and another, as `zip(self, other)` does.
    ///
    /// - Parameter other: The other loadable value.
    /// - Returns: Both values, in exactly one state.
    public func zip<Other>(
        _ other: Loadable<Other, Failure>
    ) -> Loadable<(Value, Other), Failure> {
        PledgeFutures.zip(self, other)
    }
}

/// The states in the order of their precedence in `zip`, lowest first.
private enum Precedence: Comparable {
    case loaded
    case idle
    case loading
    case failed

    init<Value, Failure>(of loadable: Loadable<Value, Failure>) {
        switch loadable {
        case .idle: self = .idle
        case .loading: self = .loading
        case .loaded: self = .loaded
        case .failed: self = .failed
        }
    }
}

extension Loadable {
    /// Returns the newest known value; throws an error if there is none.
    fileprivate func known() throws -> Value {
        guard let value else { throw MissingValue() }
        return value
    }
}

/// The error that is thrown if no value is known.
private struct MissingValue: Error {}

extension Future {
    /// Calls a function with each loading state of this future's value.
    ///
    /// ```swift
    /// loadProduct(7).observeLoading(after: screen.product) { screen.product = $0 }
    /// ```
    ///
    /// - Parameters:
    ///   - known: The state so far. Its value stays known while the future's value is loading.
    ///   - body: Called with loading before this method returns, then with loaded or failed on the thread that
    ///     settles the future. If the future has already settled, there is one call, before this method
    ///     returns. If the future is cancelled, the last call has the state that ``Loadable/cancelLoading()``
    ///     makes.
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

    /// Calls a function on the main actor with each loading state of this future's value.
    ///
    /// ```swift
    /// loadProduct(7).observeLoading(on: MainActor.shared) { self.product = $0 }
    /// ```
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - known: The state so far. Its value stays known while the future's value is loading.
    ///   - body: Called as in ``observeLoading(after:_:)`` and in the same order, but always asynchronously,
    ///     even the first time.
    public func observeLoading(
        on actor: MainActor,
        after known: Loadable<Value, any Error> = .idle,
        _ body: @escaping @MainActor @Sendable (Loadable<Value, any Error>) -> Void
    ) {
        let observer = MainActorObserver(body)
        observeLoading(after: known) { observer.receive($0) }
    }
}

extension Loadable where Value: Sendable, Failure == any Error {
    /// Creates the current loading state of a future's value.
    ///
    /// - Parameters:
    ///   - future: The future. The value counts as loading while the future is pending.
    ///   - known: The state so far.
    public init(_ future: Future<Value>, after known: Loadable = .idle) {
        self = known
        startLoading()
        if let result = future.result { finishLoading(withFutures: result) }
    }

    /// Changes to the state for a future's result.
    ///
    /// A cancelled future counts as neither loaded nor failed.
    fileprivate mutating func finishLoading(withFutures result: Result<Value, any Error>) {
        if case .failure(let error) = result, error is CancellationError {
            cancelLoading()
        } else {
            finishLoading(with: result)
        }
    }
}
