/// A subscription that ends with its owner: when the last reference to it goes.
///
/// ```swift
/// final class Screen {
///     var subscription: Subscription?
///
///     func show(_ store: Store<State, Event>) {
///         subscription = store.subscription { [weak self] _, new in self?.draw(new) }
///     }
/// }
/// ```
///
/// It is to a store what `AnyCancellable` is to a publisher. It does not keep the store alive.
public final class Subscription: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the subscription before its owner goes; harmless if it has ended.
    ///
    /// All of ``Store/unsubscribe(_:)`` holds.
    public func cancel() { end() }
}
