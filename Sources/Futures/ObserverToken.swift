/// A token of one observer: of a future, a store or an event source.
///
/// ```swift
/// let shown = loadProduct(7).observe { result in print(result) }
/// shown.cancel()  // `result` is not printed
/// ```
///
/// If you ignore the token, the observer stays until the future has settled, or as long as the store or the event
/// source lives. To end the observer together with an object of yours, keep ``scoped()`` in a property of the object.
public struct ObserverToken: Sendable {
    private let end: (@Sendable () -> Void)?

    /// Creates a token.
    ///
    /// - Parameter end: Ends the observer; called any number of times. Nil if the observer has ended.
    package init(_ end: (@Sendable () -> Void)?) { self.end = end }

    /// Removes the observer, and gives up its interest in a future.
    ///
    /// After this returns, no call of the observer begins on this thread. If another thread has begun a call, or is
    /// about to, that call runs to its end. An observer on the main actor isn't called any more if you cancel it on the
    /// main actor. Nothing happens if the observer has ended before. You may call this inside the observer itself.
    public func cancel() { end?() }

    /// Returns an object that removes the observer when the last reference to the object is released.
    public func scoped() -> ScopedObserver { ScopedObserver(self) }
}

/// An observer that ends when the last reference to this object is released.
///
/// ```swift
/// final class Screen {
///     var shown: ScopedObserver?
///
///     func show(_ store: Store<State, Event>) {
///         shown = store.subscribe { [weak self] _, new in self?.draw(new) }.scoped()
///     }
/// }
/// ```
public final class ScopedObserver: Sendable {
    private let token: ObserverToken

    fileprivate init(_ token: ObserverToken) { self.token = token }

    deinit { token.cancel() }

    /// Removes the observer early, as ``ObserverToken/cancel()`` does.
    public func cancel() { token.cancel() }
}

extension FutureNode {
    /// The token of an observer that waits for a future.
    @usableFromInline
    final var token: ObserverToken { ObserverToken { [self] in abort(with: .cancelled) } }
}

extension ObserverToken {
    /// The token of an observer that was called at once.
    @usableFromInline
    static var ended: ObserverToken { ObserverToken(nil) }
}
