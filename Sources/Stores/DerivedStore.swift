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
    /// - Parameter event: The event, handled as in ``Store/dispatch(_:)``.
    public func dispatch(_ event: Event) { send(event) }

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

extension DerivedStore {
    /// Calls an observer with the current part, then after each change of the part.
    ///
    /// - Parameters:
    ///   - fileID: The calling file, for the report about a slow observer.
    ///   - line: The calling line, for the same report.
    ///   - observer: Called as in ``Store/subscribe(fileID:line:observer:)``, but not for an event that leaves
    ///     the part equal.
    /// - Returns: A token that ends the subscription. You may ignore it, and you needn't keep the derived store.
    /// - Complexity: O(1) amortized.
    @inlinable
    @preconcurrency
    @discardableResult
    public func subscribe(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> ObserverToken {
        source.subscribe(
            at: CodeLocation(fileID: fileID, line: line), onClose: nil, observer)
    }

    /// Calls an observer on the main actor with the current part, then after each change of the part.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - fileID: The calling file, for the report about a slow observer.
    ///   - line: The calling line, for the same report.
    ///   - observer: Called as in ``Store/subscribe(on:fileID:line:observer:)``, but not for an event that leaves
    ///     the part equal.
    /// - Returns: A token that ends the subscription, as for ``subscribe(fileID:line:observer:)``.
    @discardableResult
    public func subscribe(
        on actor: MainActor,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> ObserverToken {
        source.subscribeOnMainActor(at: CodeLocation(fileID: fileID, line: line), observer)
    }

    /// The current part and later ones, as an asynchronous sequence.
    ///
    /// A value is added only when the part changes. In other respects the sequence works like ``Store/states``.
    /// The sequence doesn't keep the store alive, and ends when the store is released. You needn't keep the
    /// derived store.
    public var states: AsyncStream<State> { source.states }
}
