/// Combines loadable values into one, which is loaded when all of them are loaded.
///
/// ```swift
/// let screen = zip(product, reviews).map { product, reviews in Page(product, reviews) }
/// ```
///
/// It has failed if one has failed, with the leftmost error; otherwise it is loading if one is loading;
/// otherwise it is idle if one is idle; otherwise it is loaded, and stale if one is stale. Its `value` is not
/// nil if none of theirs is nil, previous values included.
///
/// - Parameter loadables: The loadable values, any number of them. Without values it is loaded.
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
    /// Combines this and another, as `zip(self, other)` does.
    ///
    /// - Parameter other: The other one.
    /// - Returns: Both values, in exactly one state.
    public func zip<Other>(
        _ other: Loadable<Other, Failure>
    ) -> Loadable<(Value, Other), Failure> {
        PledgeStores.zip(self, other)
    }
}

/// The precedence of the states.
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
    /// The newest known value; throws an error without one.
    fileprivate func known() throws -> Value {
        guard let value else { throw MissingValue() }
        return value
    }
}

/// There is no value.
private struct MissingValue: Error {}
