/// What ``EventSource/bind(events:for:)`` hands out for a handler: a way to take it back.
///
/// Releasing it does nothing: the handler stays bound.
public final class EventBinding: Sendable {
    private let takeBack: @Sendable () -> Void

    init(_ takeBack: @escaping @Sendable () -> Void) {
        self.takeBack = takeBack
    }

    /// Removes the handler: once this has returned, no call of it begins on this thread any more,
    /// and its captures are released.
    ///
    /// A call that another thread has begun, or is about to, runs to its end. Harmless twice, from
    /// within the handler itself, and after the source is gone.
    ///
    /// - Complexity: O(*n*) for the *n* handlers of the source.
    public func unbind() {
        takeBack()
    }
}
