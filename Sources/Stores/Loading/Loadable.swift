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
/// No flags can contradict each other: it cannot be loading and failed at once. The value known before is
/// kept until there is a newer one. A reducer changes it by ``startLoading()``, ``finishLoading(with:)``,
/// ``invalidate()`` and ``cancelLoading()``.
public enum Loadable<Value, Failure> {
    /// Not requested. Next: loading, or any other state if the answer is available at once.
    case idle
    /// Requested; `previous` is the value known before. Next: loaded, failed; or, when cancelled, loaded and
    /// stale, or idle.
    case loading(previous: Value? = nil)
    /// Loaded; `stale` says that there may be a newer value. Next: loading.
    case loaded(Value, stale: Bool = false)
    /// Failed; `previous` is the value known before. Next: loading.
    case failed(Failure, previous: Value? = nil)
}

extension Loadable {
    /// The newest known value, also while a newer one is loading or after that has failed.
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

    /// Whether it was requested, and neither a value nor an error has arrived yet.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// Whether there may be a newer value than ``value``: false only if it is loaded and fresh, or if there
    /// is no value.
    public var isStale: Bool {
        if case .loaded(_, let stale) = self { stale } else { value != nil }
    }
}

extension Loadable: Equatable where Value: Equatable, Failure: Equatable {}

extension Loadable: Hashable where Value: Hashable, Failure: Hashable {}

extension Loadable: Sendable where Value: Sendable, Failure: Sendable {}
