#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// Calls an observer with the state now, and whenever an event is dispatched.
    ///
    /// - Parameter observer: Called with the state before and the state after: first with nil and the
    ///   state at the time of subscription, then once for each newer event, also if it changed
    ///   nothing. Where the queue is idle, the first call comes before this method returns; within
    ///   an observer, or while another thread tells the observers, it is queued. The same
    ///   function subscribed twice is called twice.
    /// - Returns: What ``unsubscribe(_:)`` takes. Letting it go ends nothing.
    /// - Complexity: O(1) amortized; O(*n*) for *n* observers while they are being told.
    @preconcurrency
    @discardableResult
    public func subscribe(
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        core.subscribe { old, new, _ in observer(old, new) }
    }
}
