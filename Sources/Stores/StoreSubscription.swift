internal import Synchronization

/// A token that ends a subscription to a store when its last reference is released.
///
/// ```swift
/// final class Screen {
///     var subscription: StoreSubscription?
///
///     func show(_ store: Store<State, Event>) {
///         subscription = store.subscription { [weak self] _, new in self?.draw(new) }
///     }
/// }
/// ```
///
/// For a subscription that lasts as long as the store, call ``kept()`` instead of keeping the token:
///
/// ```swift
/// store.subscription(to: \.name) { _, name in print(name) }.kept()
/// ```
///
/// The token doesn't keep the store alive.
public final class StoreSubscription: Sendable {
    private let end: @Sendable () -> Void
    private let isKept = Atomic(false)

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { if !isKept.load(ordering: .acquiring) { end() } }

    /// Lets the subscription outlive this token.
    ///
    /// The subscription then ends with the store, or when you call ``cancel()``.
    public func kept() { isKept.store(true, ordering: .releasing) }

    /// Ends the subscription early; does nothing if it has ended.
    ///
    /// If another thread has already begun to call the observer, that call may still run, as with
    /// ``Store/unsubscribe(_:)``.
    ///
    /// - Complexity: O(1) amortized; O(*n*) for *n* observers while they are being notified.
    public func cancel() { end() }
}
