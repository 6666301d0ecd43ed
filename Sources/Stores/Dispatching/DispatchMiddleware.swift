/// A layer around a store's dispatch, as in Redux.
///
/// ```swift
/// let logging = DispatchMiddleware<Int, Event> { context in
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
/// innermost is called forevery event, on the thread that dispatches, without a lock. The
/// first of the list is the outermost. It may pass the event on, pass others on, or none, or dispatch
/// through `context`, which goes through the whole chain again.
///
/// A layer may start a source of events on another thread while it is set up. What that dispatches
/// before the store is complete waits, and goes through the chain in order before the store's
/// initializer returns.
///
/// Events of effects go through the chain, too. One whose effect is replaced or cancelled does not
/// enter it; one that has entered it before that, or waits until the store is complete, is reduced.
/// What waits for an effect begins when the effect's event has been through the chain.
public struct DispatchMiddleware<State: Sendable, Event: Sendable>: Sendable {
    /// A function that takes an event: the rest of the chain, at its end the reducer.
    public typealias Dispatch = @Sendable (Event) -> Void

    let setUp: @Sendable (DispatchContext<State, Event>) -> (@escaping Dispatch) -> Dispatch

    /// Makes a middleware.
    ///
    /// - Parameter setUp: A function of the store's ``DispatchContext``, that returns a function of
    ///   the rest of the chain, that returns what is called for each event. Dispatching on the same
    ///   thread while it is set up is a programming error and traps.
    public init(
        _ setUp:
            @escaping @Sendable (DispatchContext<State, Event>) -> (@escaping Dispatch) -> Dispatch
    ) {
        self.setUp = setUp
    }
}
