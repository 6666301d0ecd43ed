internal import Synchronization

/// A token of a handler of an ``EventSource``, which is unbound when the last reference to the token is released.
///
/// Call ``kept()`` instead of keeping the token, and the handler stays bound as long as the source lives.
public final class EventBinding: Sendable {
    private let takeBack: @Sendable () -> Void
    private let isKept = Atomic(false)

    init(_ takeBack: @escaping @Sendable () -> Void) {
        self.takeBack = takeBack
    }

    deinit { if !isKept.load(ordering: .acquiring) { takeBack() } }

    /// Lets the handler outlive this token: it stays bound until the source is released, or until ``cancel()``.
    public func kept() { isKept.store(true, ordering: .releasing) }

    /// Unbinds the handler early: once this has returned, no call of it begins on this thread any more,
    /// and its captures are released.
    ///
    /// A call that another thread has begun, or is about to, runs to its end. Harmless twice, from
    /// within the handler itself, and after the source is gone.
    ///
    /// - Complexity: O(*n*) for the *n* handlers of the source.
    public func cancel() {
        takeBack()
    }
}
