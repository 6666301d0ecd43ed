internal import Futures

/// A state, the events that change it, and its observers.
///
/// ```swift
/// let store = Store(initialState: 0, reduce: { state, event in state + event })
/// let id = store.subscribe { old, new in print(old, new) }  // nil 0
/// store.dispatch(event: 7)                                    // 0 7
/// store.unsubscribe(id)
/// ```
///
/// ## Order
///
/// Reducing is part of ``dispatch(event:)``, so ``state`` is current when it returns, nested or not.
/// The changes form one queue, which one thread at a time works off, outside any lock, telling the
/// observers in the order of their subscription. Every observer sees consecutive pairs: the new state
/// of one call is the old state of the next, whichever threads dispatch, and however deeply observers
/// do. A dispatch from within an observer, or while another thread tells the observers, returns
/// before they are told of it; any other tells them before it returns.
///
/// ## Threads
///
/// Everything may be called on any thread at any time, except from inside the reducer, which is a
/// programming error and traps. Observers are called on the thread that dispatches, or on
/// the one that works the queue off; ``subscribe(on:observer:)`` calls on the main actor.
///
/// ## Lifetime
///
/// Only its users keep a store alive: neither its effects nor their futures do. When it goes, its
/// subscriptions end, its effects are cancelled, and ``states`` finishes. It keeps its
/// observers, so let them capture weakly what holds the store.
public final class Store<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline
    let core: StoreCore<State, Event>

    @inlinable
    init(
        _ state: State, _ reduction: Reduction<State, Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [],
        onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        core = StoreCore(
            state, reduction, hasMiddleware: !middleware.isEmpty, feedback: feedback,
            onFailure: onFailure)
        core.setUp(middleware)
        core.beginFeedback()
        core.catchUp()
    }

    deinit { core.close() }

    /// The state now: all events are in it whose ``dispatch(event:)`` has returned.
    @inlinable
    public var state: State { core.state }

    /// Makes the next state from an event, and tells the observers.
    ///
    /// - Parameter event: What happened.
    /// - Complexity: O(*n*) for *n* observers, and what they do.
    @inlinable
    public func dispatch(event: Event) { core.dispatch(event) }

    /// Stops calling an observer.
    ///
    /// After it returns, the observer is not called again, unless it is called by another thread at
    /// this moment.
    ///
    /// - Parameter subscriptionID: What ``subscribe(observer:)`` returned, of the store or of one that is
    ///   derived from it. Harmless if it is no longer subscribed, or is another store's.
    /// - Complexity: O(*n*) for *n* observers.
    public func unsubscribe(_ subscriptionID: UUID) { core.unsubscribe(subscriptionID) }

    /// How many effects are under way, or wait for their turn or their time.
    package var effectsUnderWay: Int { core.values.withLock { $0.effects.underWay } }
}
