/// What a middleware sees of its store.
///
/// It does not keep the store alive.
public struct DispatchContext<State: Sendable, Event: Sendable>: Sendable {
    let core: StoreCore<State, Event>

    /// The store's state now; the last one, if the store has gone.
    public var state: State { core.state }

    /// Dispatches an event through the whole chain of middleware.
    ///
    /// - Parameter event: The event. It is dropped if the store has gone. Dispatching while the
    ///   middleware is set up is a programming error and traps.
    public func dispatch(event: Event) { core.dispatch(event) }
}
