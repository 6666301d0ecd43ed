extension Loadable {
    /// Goes on to loading, and keeps what is known.
    ///
    /// It is what a reducer does about the event that asks for the value. Calling it while loading
    /// changes nothing.
    public mutating func startLoading() {
        self = .loading(previous: value)
    }

    /// Takes the answer.
    ///
    /// - Parameter result: What came. A failure keeps what was known before.
    public mutating func finishLoading(with result: Result<Value, Failure>)
    where Failure: Error {
        switch result {
        case .success(let value): self = .loaded(value)
        case .failure(let error): self = .failed(error, previous: value)
        }
    }

    /// Notes that there may be a newer value than the one that is loaded.
    ///
    /// In any other state nothing happens: an idle one has no value, and the others are not fresh.
    public mutating func invalidate() {
        if case .loaded(let value, _) = self { self = .loaded(value, stale: true) }
    }

    /// Goes back from loading: what was known is loaded and stale; without it, nothing was asked.
    ///
    /// In any other state nothing happens.
    public mutating func cancelLoading() {
        guard case .loading(let previous) = self else { return }
        self = previous.map { .loaded($0, stale: true) } ?? .idle
    }

    /// Goes back to the beginning, and forgets what is known.
    public mutating func reset() { self = .idle }
}

extension Loadable where Failure: Error {
    /// Makes one of a result.
    ///
    /// - Parameters:
    ///   - result: What came.
    ///   - previous: What was known before.
    public init(_ result: Result<Value, Failure>, previous: Value? = nil) {
        self = .loading(previous: previous)
        finishLoading(with: result)
    }
}
