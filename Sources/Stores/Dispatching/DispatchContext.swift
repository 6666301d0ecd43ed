/// A middleware's access to its store.
///
/// It does not keep the store alive.
public struct DispatchContext<State: Sendable, Event: Sendable>: Sendable {
    private let read: @Sendable () -> State
    private let send: @Sendable (Event) -> Void

    init(core: StoreCore<State, Event>) {
        read = { core.state }
        send = { core.dispatch($0) }
    }

    /// Makes the context of a middleware whose events become other events of the store.
    init<StoreEvent>(
        _ context: DispatchContext<State, StoreEvent>,
        _ event: @escaping @Sendable (Event) -> StoreEvent
    ) {
        read = context.read
        send = { context.send(event($0)) }
    }

    /// The store's current state; the last one, if the store has been released.
    public var state: State { read() }

    /// Dispatches an event through the whole chain of middleware.
    ///
    /// - Parameter event: The event. It is discarded if the store has been released. Dispatching while the
    ///   middleware is set up is a programming error and traps; an event from another thread waits until the
    ///   store is complete.
    public func dispatch(event: Event) { send(event) }
}
