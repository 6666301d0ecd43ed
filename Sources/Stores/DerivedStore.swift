public import PledgeFutures

/// A part of a store's state, with the interface of a store.
///
/// ```swift
/// let name = store.derived(\.name)
/// name.subscribe { old, new in show(new) }
/// ```
///
/// A derived store holds no state: it reads the store's state and dispatches to the store. It compares the part once
/// for each event, however many observers it has, and notifies them only if the part has changed. When it's the turn of
/// the observer that subscribed first, the store calls all observers of the derived store, one directly after another.
/// As with a ``Store``, the new part in one call of an observer is the old part in its next call, no matter which
/// threads dispatch.
///
/// A derived store keeps its store alive. Its subscriptions and its ``states`` don't need the derived store:
/// they continue until you end them or the store is released. So `store.derived(\.name).states` works even if
/// you don't keep the derived store.
public final class DerivedStore<State: Sendable & Equatable, Event: Sendable>: Sendable {
    @usableFromInline
    let source: any StateSource<State>
    /// Dispatches to the store; the closure also keeps the store alive.
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
    /// - Parameter event: The event, handled as in ``Store/dispatch(event:)``.
    public func dispatch(event: Event) { send(event) }

    /// A part of this derived store's state, as another derived store.
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
    /// Calls an observer with the current part, then after each change of the part.
    ///
    /// - Parameters:
    ///   - fileID: The calling file, for the report about a slow observer.
    ///   - line: The calling line, for the same report.
    ///   - observer: Called as in ``Store/subscribe(fileID:line:observer:)``, but not for an event that leaves
    ///     the part equal.
    /// - Returns: An id for ``unsubscribe(_:)``.
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
    /// If another thread has already begun to call the observer, that call may still run, as with
    /// ``Store/unsubscribe(_:)``.
    ///
    /// - Parameter subscriptionID: An id that ``subscribe(fileID:line:observer:)`` has returned, for this
    ///   derived store or another one of the same store. Nothing happens if the subscription has ended, or
    ///   belongs to another store.
    public func unsubscribe(_ subscriptionID: UUID) { source.ending(subscriptionID)() }

    /// Calls an observer until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - fileID: The calling file, for the report about a slow observer.
    ///   - line: The calling line, for the same report.
    ///   - observer: Called as in ``subscribe(fileID:line:observer:)``.
    /// - Returns: The subscription. Keep it as long as the observer should be called; you needn't keep the
    ///   derived store.
    @preconcurrency
    public func subscription(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> StoreSubscription {
        source.subscription(at: CodeLocation(fileID: fileID, line: line), observer)
    }

    /// Calls an observer on the main actor until the returned subscription is released.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - fileID: The calling file, for the report about a slow observer.
    ///   - line: The calling line, for the same report.
    ///   - observer: Called with the current part, then after each change of the part. In other respects the
    ///     calls are as in ``Store/subscription(on:fileID:line:observer:)``.
    /// - Returns: The subscription. Keep it as long as the observer should be called; you needn't keep the
    ///   derived store.
    public func subscription(
        on actor: MainActor,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> StoreSubscription {
        source.subscriptionOnMainActor(at: CodeLocation(fileID: fileID, line: line), observer)
    }

    /// The current part and later ones, as an asynchronous sequence.
    ///
    /// A value is added only when the part changes. In other respects the sequence works like ``Store/states``.
    /// The sequence doesn't keep the store alive, and ends when the store is released. You needn't keep the
    /// derived store.
    public var states: AsyncStream<State> { source.states }
}
