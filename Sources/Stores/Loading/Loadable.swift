/// One value that has to be loaded, in exactly one of the states that this can be in.
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
/// There are no flags that could contradict each other: it cannot be loading and failed at once, and
/// what was known before is kept until there is something newer. It is a value, and changes by
/// ``startLoading()``, ``finishLoading(with:)``, ``invalidate()`` and
/// ``cancelLoading()``, as a reducer needs it.
public enum Loadable<Value, Failure> {
    /// It was not asked for. Next: loading, or any other state if the answer is there at once.
    case idle
    /// It was asked for, and `previous` is what was known before. Next: loaded, failed; or loaded
    /// and stale, or idle, when it is cancelled.
    case loading(previous: Value? = nil)
    /// It is there; `stale` says that there may be a newer one. Next: loading.
    case loaded(Value, stale: Bool = false)
    /// It could not be loaded, and `previous` is what was known before. Next: loading.
    case failed(Failure, previous: Value? = nil)
}

extension Loadable {
    /// The newest value that is known, also while a newer one is loaded, or could not be.
    public var value: Value? {
        switch self {
        case .idle: nil
        case .loading(let previous): previous
        case .loaded(let value, _): value
        case .failed(_, let previous): previous
        }
    }

    /// Why it could not be loaded; nil unless it has failed.
    public var error: Failure? {
        if case .failed(let error, _) = self { error } else { nil }
    }

    /// Whether it was asked for, and neither the value nor an error has come yet.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// Whether there may be something newer than ``value``: false only where it is loaded and fresh,
    /// or where there is no value.
    public var isStale: Bool {
        if case .loaded(_, let stale) = self { stale } else { value != nil }
    }
}

extension Loadable: Equatable where Value: Equatable, Failure: Equatable {}

extension Loadable: Hashable where Value: Hashable, Failure: Hashable {}

extension Loadable: Sendable where Value: Sendable, Failure: Sendable {}
