/// A part of a store's state, as if it were a store of its own.
///
/// ```swift
/// let name = store.derived(\.name)
/// name.subscribe { old, new in show(new) }
/// ```
///
/// It has no state: it reads the store's, and dispatches to it. However many observe it, the part is
/// compared once for each event, and they are told only if it has changed. Their calls are part
/// of the store's queue, at the place of the first of them, with all that
/// ``Store`` promises: consecutive pairs, whichever threads dispatch.
///
/// A derived store keeps its store alive. Its subscriptions and its ``states`` do not need it: they go
/// on until they are ended or the store goes, so `store.derived(\.name).states` is as good as a stream
/// of one that is kept.
public final class DerivedStore<State: Sendable & Equatable, Event: Sendable>: Sendable {
    @usableFromInline
    let read: @Sendable () -> State
    @usableFromInline
    let send: @Sendable (Event) -> Void
    @usableFromInline
    let source: any DerivationSource<State>

    @inlinable
    init(
        read: @escaping @Sendable () -> State, send: @escaping @Sendable (Event) -> Void,
        source: any DerivationSource<State>
    ) {
        self.read = read
        self.send = send
        self.source = source
    }

    /// The part now.
    public var state: State { read() }

    /// Dispatches an event to the store.
    ///
    /// - Parameter event: What happened. All of ``Store/dispatch(event:)`` holds.
    public func dispatch(event: Event) { send(event) }

    /// Calls an observer with the part now, and whenever it has changed.
    ///
    /// - Parameter observer: Called as with ``Store/subscribe(observer:)``, except that it is not
    ///   called where the part is equal before and after.
    /// - Returns: What ``unsubscribe(_:)`` takes.
    /// - Complexity: O(1) amortized.
    @inlinable
    @preconcurrency
    @discardableResult
    public func subscribe(
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        source.subscribe(onClose: nil, observer)
    }

    /// Stops calling an observer.
    ///
    /// - Parameter subscriptionID: What ``subscribe(observer:)`` returned, of this or of another derived
    ///   store of the same store. Harmless if it is no longer subscribed, or is another store's.
    ///   All of ``Store/unsubscribe(_:)`` holds.
    public func unsubscribe(_ subscriptionID: UUID) { source.unsubscribe(subscriptionID) }

    /// A part of this part.
    ///
    /// - Parameter part: A key path, or a pure function of the state.
    @inlinable
    public func derived<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> DerivedStore<Part, Event> {
        let read = read
        return DerivedStore<Part, Event>(
            read: { part(read()) }, send: send, source: source.derived(part))
    }
}
