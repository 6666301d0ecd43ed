public import PledgeFutures

/// A part of a store's state, with the interface of a store.
///
/// ```swift
/// let name = store.derived(\.name)
/// name.subscribe { old, new in show(new) }
/// ```
///
/// It has no state: it reads the store's, and dispatches to it. With any number of observers, the part is
/// compared once for each event, and they are notified only if it has changed. Their calls are part of the
/// store's queue, at the place of the first of them, with the guarantees of ``Store``: consecutive pairs,
/// whichever threads dispatch.
///
/// A derived store keeps its store alive. Its subscriptions and its ``states`` do not need it: they continue
/// until they are ended or the store is released, so `store.derived(\.name).states` works without keeping the
/// derived store.
public final class DerivedStore<State: Sendable & Equatable, Event: Sendable>: Sendable {
    @usableFromInline
    let source: any StateSource<State>
    /// Keeps the store alive.
    @usableFromInline
    let send: @Sendable (Event) -> Void

    @inlinable
    init(_ source: any StateSource<State>, send: @escaping @Sendable (Event) -> Void) {
        self.source = source
        self.send = send
    }

    /// The current part.
    public var state: State { source.state }

    /// Dispatches an event to the store.
    ///
    /// - Parameter event: The event. It behaves as ``Store/dispatch(event:)``.
    public func dispatch(event: Event) { send(event) }

    /// A part of this part.
    ///
    /// - Parameter part: A key path, or a pure function of the state.
    @inlinable
    public func derived<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> DerivedStore<Part, Event> {
        DerivedStore<Part, Event>(source.derived(part), send: send)
    }
}

// MARK: - Subscribing

extension DerivedStore {
    /// Calls an observer with the current part, and after each change of it.
    ///
    /// - Parameters:
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``Store/subscribe(fileID:line:observer:)``, except that it is not called if
    ///     the part is equal before and after.
    /// - Returns: What ``unsubscribe(_:)`` takes.
    /// - Complexity: O(1) amortized.
    @inlinable
    @preconcurrency
    @discardableResult
    public func subscribe(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        source.subscribe(
            at: CodeLocation(fileID: fileID, line: line), onClose: nil, observer)
    }

    /// Stops calling an observer.
    ///
    /// - Parameter subscriptionID: What ``subscribe(fileID:line:observer:)`` returned, of this or of another derived
    ///   store of the same store. Nothing happens if it is no longer subscribed, or belongs to another store.
    ///   Otherwise as ``Store/unsubscribe(_:)``.
    public func unsubscribe(_ subscriptionID: UUID) { source.ending(subscriptionID)() }

    /// Calls an observer until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called as with ``subscribe(fileID:line:observer:)``.
    /// - Returns: The subscription, to keep as long as the observer should be called. It does not need
    ///   this derived store.
    @preconcurrency
    public func subscription(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> Subscription {
        source.subscription(at: CodeLocation(fileID: fileID, line: line), observer)
    }

    /// Calls an observer on the main actor, until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - fileID: The file that a report names if the observer is too slow.
    ///   - line: Its line.
    ///   - observer: Called with the current part and after each change of it; otherwise as with
    ///     ``Store/subscription(on:fileID:line:observer:)``.
    /// - Returns: The subscription, to keep as long as the observer should be called. It does not need
    ///   this derived store.
    public func subscription(
        on actor: MainActor,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> Subscription {
        source.subscriptionOnMainActor(at: CodeLocation(fileID: fileID, line: line), observer)
    }

    /// The current part and its changes, as an asynchronous sequence; otherwise as ``Store/states``.
    ///
    /// The sequence does not keep the store alive, and ends when the store is released. It does not need this
    /// derived store.
    public var states: AsyncStream<State> { source.states }
}
