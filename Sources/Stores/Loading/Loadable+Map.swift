extension Loadable {
    /// Transforms the value, and also the previous value.
    ///
    /// ```swift
    /// let name = product.map(\.name)
    /// ```
    ///
    /// - Parameter transform: Called at most once, before this returns; not called without a value.
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
    /// - Parameter transform: Called at most once, before this returns; called only if the loading has
    ///   failed.
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
