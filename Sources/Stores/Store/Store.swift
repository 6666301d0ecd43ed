internal import PledgeFutures

/// A state, the events that change it, and its observers.
///
/// ```swift
/// let store = Store(initialState: 0, reducer: Reducer { (state: Int, event: Int) in state + event })
/// let id = store.subscribe { old, new in print(old, new) }  // nil 0
/// store.dispatch(event: 7)                                    // 0 7
/// store.unsubscribe(id)
/// ```
///
/// ## Order
///
/// Reducing is part of ``dispatch(event:)``, so ``state`` is current when it returns, nested or
/// not. The changes form one queue. One thread at a time drains it, outside any lock, and notifies the
/// observers in the order of their subscription. Every observer sees consecutive pairs: the new state of one
/// call is the old state of the next, whichever threads dispatch, and however deeply observers dispatch. A
/// dispatch from within an observer, or while another thread notifies the observers, returns before they are
/// notified of it; any other dispatch notifies them before it returns, also of what observers dispatch meanwhile, as long
/// as no other thread dispatches.
///
/// ## Threads
///
/// Everything may be called on any thread at any time, except from inside the reducer, which is a
/// programming error and traps. Observers are called on the thread that dispatches, or on the thread that
/// drains the queue. A thread that dispatches notifies the observers of what other threads dispatch meanwhile for 2
/// milliseconds, or 1,000 changes; then a thread of the library goes on. Where events are faster than observers, the queue grows: at
/// 10,000 changes `FutureDiagnostics` gets a report, once, that names the observer being called. With a `queueLimit` a dispatch waits
/// instead until the queue has a place, also that of an effect's event, but never one from within an observer: an
/// observer must then not wait for another thread that dispatches to the same store, since each would wait for the other.
///
/// ``subscription(on:fileID:line:observer:)`` calls on the main actor.
///
/// ## Lifetime
///
/// Only its users keep a store alive; its effects and their futures do not. When it is released, its
/// subscriptions end, its effects are cancelled, and ``states`` finishes. It retains its observers, so they
/// should capture objects that hold the store weakly.
public final class Store<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline
    let core: StoreCore<State, Event>

    /// Makes a store of a state and a reducer.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - reducer: Makes the next state, and effects if it has any. It runs inside ``dispatch(event:)``, one event at a
    ///     time, on the thread that dispatches. Using the store in it is a programming error and traps.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. Less than
    ///     one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event, on the thread that
    ///     settles its future. By default a line is written to standard error.
    @inlinable
    public init(
        initialState: State,
        reducer: Reducer<State, Event>,
        middleware: [StoreMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        precondition(queueLimit ?? 1 >= 1, "Store: queueLimit is less than 1.")
        core = StoreCore(
            initialState, reducer, hasMiddleware: !middleware.isEmpty, feedback: feedback,
            queueLimit: queueLimit, onFailure: onFailure)
        core.setUp(middleware)
        core.beginFeedback()
        core.catchUp()
    }

    deinit { core.close() }

    /// The current state: it includes all events whose ``dispatch(event:)`` has returned.
    @inlinable
    public var state: State { core.state }

    /// Makes the next state from an event, and notifies the observers.
    ///
    /// - Parameter event: What happened.
    /// - Complexity: O(*n*) for *n* observers, and what they do.
    @inlinable
    public func dispatch(event: Event) { core.dispatch(event) }

    /// How many effects are under way, or wait for another effect or for a delay.
    package var effectsUnderWay: Int { core.values.withLock { $0.effects.underWay } }
}
