extension Loadable {
    /// Transforms the value, and the previous one just so.
    ///
    /// ```swift
    /// let name = product.map(\.name)
    /// ```
    ///
    /// - Parameter transform: Called at most once, before this returns: not where there is no value.
    /// - Returns: The same state, with another value.
    /// - Throws: What `transform` throws.
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
    /// - Parameter transform: Called at most once, before this returns: only where it has failed.
    /// - Returns: The same state, with another error.
    /// - Throws: What `transform` throws.
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
