/// A layer around a store's dispatch, as in Redux.
///
/// ```swift
/// let logging = StoreMiddleware<Int, Event> { context in
///     { next in
///         { event in
///             log.add("before \(event): \(context.state)")
///             next(event)
///             log.add("after \(event): \(context.state)")
///         }
///     }
/// }
/// ```
///
/// A store's first layer is the outermost. The two outer functions of each layer are called once, while the
/// store is created. The innermost function is called for every event, on the dispatching thread, with no lock
/// held. It may pass on the event, other events, or none. It may also dispatch through `context`: that event
/// goes through the whole chain again.
///
/// During its setup, a layer may start a source of events on another thread. Until the store is complete, the
/// source's events wait. Then they go through the chain in order, before the store's initializer returns.
///
/// The events of effects go through the chain, too. After an effect has been replaced or cancelled, its events don't
/// enter the chain any more. If an event entered the chain before that, or waits until the store is complete, it is
/// still reduced. An effect that waits for another effect begins after the other effect's event has been through the
/// chain.
public struct StoreMiddleware<State: Sendable, Event: Sendable>: Sendable {
    /// The rest of the chain, down to the reducer, as a function that takes an event.
    public typealias Dispatch = @Sendable (Event) -> Void

    let setUp: @Sendable (DispatchContext<State, Event>) -> (@escaping Dispatch) -> Dispatch

    /// Creates a middleware.
    ///
    /// - Parameter setUp: Takes the store's ``DispatchContext``. It returns a function that takes the rest of the
    ///   chain. That function returns the function to call for each event. The store calls the `setUp` functions of its
    ///   layers in the order of the list. Dispatching on the same thread during the setup is a programming error and
    ///   traps.
    public init(
        _ setUp:
            @escaping @Sendable (DispatchContext<State, Event>) -> (@escaping Dispatch) -> Dispatch
    ) {
        self.setUp = setUp
    }
}

/// A middleware's access to its store.
///
/// A context doesn't keep the store alive.
public struct DispatchContext<State: Sendable, Event: Sendable>: Sendable {
    private let read: @Sendable () -> State
    private let send: @Sendable (Event) -> Void

    init(core: StoreCore<State, Event>) {
        read = { core.state }
        send = { core.dispatch($0) }
    }

    /// A context for a middleware whose events are converted to the store's.
    init<StoreEvent>(
        _ context: DispatchContext<State, StoreEvent>,
        _ event: @escaping @Sendable (Event) -> StoreEvent
    ) {
        read = context.read
        send = { context.send(event($0)) }
    }

    /// The store's current state, or its last state once the store has been released.
    public var state: State { read() }

    /// Dispatches an event through the whole chain of middleware.
    ///
    /// - Parameter event: The event, which is discarded if the store has been released. While the middleware is
    ///   set up, dispatching on the thread that sets it up is a programming error and traps. An event from
    ///   another thread waits until the store is complete.
    public func dispatch(_ event: Event) { send(event) }
}
