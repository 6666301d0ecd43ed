/// A subscription that ends when the last reference to it is released.
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

    /// Ends the subscription early; does nothing if it has ended.
    ///
    /// It behaves as ``Store/unsubscribe(_:)``.
    public func cancel() { end() }
}
