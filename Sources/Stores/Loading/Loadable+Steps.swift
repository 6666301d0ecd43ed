extension Loadable {
    /// Changes to loading, and keeps the known value.
    ///
    /// A reducer calls it for the event that asks for the value. Calling it while loading changes nothing.
    public mutating func startLoading() {
        self = .loading(previous: value)
    }

    /// Changes to loaded or failed.
    ///
    /// - Parameter result: The answer. A failure keeps the value known before.
    public mutating func finishLoading(with result: Result<Value, Failure>)
    where Failure: Error {
        switch result {
        case .success(let value): self = .loaded(value)
        case .failure(let error): self = .failed(error, previous: value)
        }
    }

    /// Notes that there may be a newer value than the one that is loaded.
    ///
    /// In any other state nothing happens: idle has no value, and the others are not fresh.
    public mutating func invalidate() {
        if case .loaded(let value, _) = self { self = .loaded(value, stale: true) }
    }

    /// Changes back from loading: to loaded and stale if a value is known, otherwise to idle.
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
    /// Makes a state from a result.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - previous: The value known before.
    public init(_ result: Result<Value, Failure>, previous: Value? = nil) {
        self = .loading(previous: previous)
        finishLoading(with: result)
    }
}
