internal import Synchronization

/// A token of a subscription to a store, which ends when the last reference to the token is released.
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
/// Call ``kept()`` instead of keeping the token, and the subscription lives as long as the store:
///
/// ```swift
/// store.subscription(to: \.name) { _, name in print(name) }.kept()
/// ```
///
/// It does not keep the store alive.
public final class Subscription: Sendable {
    private let end: @Sendable () -> Void
    private let isKept = Atomic(false)

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { if !isKept.load(ordering: .acquiring) { end() } }

    /// Lets the subscription outlive this token: it ends with the store, or by ``cancel()``.
    public func kept() { isKept.store(true, ordering: .releasing) }

    /// Ends the subscription early; does nothing if it has ended.
    ///
    /// It behaves as ``Store/unsubscribe(_:)``.
    public func cancel() { end() }
}
