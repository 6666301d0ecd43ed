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
/// Each function is called once when the store is made, in the order of the store's list. The
/// innermost is called for every event, on the thread that dispatches, without a lock. The
/// first of the list is the outermost. It may pass on the event, other events, or none, or dispatch through
/// `context`, so that an event goes through the whole chain again.
///
/// A layer may start a source of events on another thread while it is set up. Events that the source
/// dispatches before the store is complete wait, and go through the chain in order before the store's
/// initializer returns.
///
/// Events of effects go through the chain, too. If the effect is replaced or cancelled, its event does not
/// enter the chain; an event that has entered it before that, or waits until the store is complete, is
/// reduced. An effect that waits for another begins when the other's event has been through the chain.
public struct StoreMiddleware<State: Sendable, Event: Sendable>: Sendable {
    /// A function that takes an event: the rest of the chain, at its end the reducer.
    public typealias Dispatch = @Sendable (Event) -> Void

    let setUp: @Sendable (DispatchContext<State, Event>) -> (@escaping Dispatch) -> Dispatch

    /// Makes a middleware.
    ///
    /// - Parameter setUp: A function of the store's ``DispatchContext``. It returns a function of the rest of
    ///   the chain, which returns the function that is called for each event. Dispatching on the same thread
    ///   while it is set up is a programming error and traps.
    public init(
        _ setUp:
            @escaping @Sendable (DispatchContext<State, Event>) -> (@escaping Dispatch) -> Dispatch
    ) {
        self.setUp = setUp
    }
}
