public import PledgeFutures

/// A state, the events that change it, and its observers.
///
/// ```swift
/// let store = Store(initialState: 0) { (state: Int, event: Int) in state + event }
/// let token = store.subscribe { old, new in print(old, new) }  // nil 0
/// store.dispatch(7)  // 0 7
/// token.cancel()
/// ```
///
/// ## Order
///
/// ``dispatch(_:)`` reduces the event before it returns, even in a nested call, so ``state`` is current
/// afterwards. The changes wait in one queue. One thread at a time drains the queue, without holding a lock,
/// and calls the observers in the order in which they subscribed. Every observer sees consecutive pairs: the
/// new state of one call is the old state of the next, no matter which threads dispatch and how deeply
/// observers nest their dispatches.
///
/// A dispatch from within an observer, or while another thread notifies the observers, returns before the observers see
/// its change. Any other dispatch notifies them before it returns. If no other thread dispatches meanwhile, the
/// observers have by then also seen the changes that they dispatched themselves.
///
/// ## Threads
///
/// You may call everything on any thread at any time, except inside the reducer: that is a programming error
/// and traps. Observers run on the thread that dispatches, or on the thread that drains the queue. A
/// dispatching thread also delivers the changes that other threads dispatch meanwhile, for up to 2 milliseconds
/// or 1,000 changes. Then a thread of the library continues.
///
/// If events come faster than the observers handle them, the queue grows. At 10,000 changes,
/// `FutureDiagnostics` gets one report, which names the observer being called. With a `queueLimit`, a dispatch
/// waits until the queue has a free place, and so does an effect's event. A dispatch from within an observer
/// never waits. So if you set a limit, no observer may wait for another thread that dispatches to the same
/// store: each would wait for the other.
///
/// ``subscribe(on:fileID:line:observer:)`` calls its observer on the main actor.
///
/// ## Lifetime
///
/// Only your references keep a store alive; its effects and their futures don't. When the store is released, its
/// subscriptions end, its effects are cancelled, and ``states`` finishes. A store retains its observers, so use a
/// weak capture in an observer for any object that holds the store.
public final class Store<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline
    let core: StoreCore<State, Event>

    /// Creates a store from a state and a reducer.
    ///
    /// - Parameters:
    ///   - initialState: The first state.
    ///   - reducer: Computes the next state, and the effects if there are any. It runs inside
    ///     ``dispatch(_:)``, one event at a time, on the dispatching thread. Using the store inside it is a
    ///     programming error and traps.
    ///   - middleware: Layers around dispatch, outermost first.
    ///   - feedback: Effects that last as long as a query of the state has a value.
    ///   - queueLimit: The most changes that the queue holds before a dispatch waits for a free place; nil for
    ///     no limit. Less than 1 is a programming error and traps.
    ///   - onFailure: Called with the error if an effect fails and doesn't turn the error into an event. The
    ///     call happens on the thread that settles the effect's future. If nil, `FutureDiagnostics` gets a
    ///     report, which by default is a line on standard error: for the store's first failure, then with a count
    ///     for the 10th, the 100th, the 1,000th and so on, and with the total when the store is released.
    @inlinable
    public init(
        initialState: State,
        reducer: Reducer<State, Event>,
        middleware: [StoreMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil
    ) {
        precondition(queueLimit ?? 1 >= 1, "Store: queueLimit is less than 1.")
        core = StoreCore(
            initialState, reducer, hasMiddleware: !middleware.isEmpty, feedback: feedback,
            queueLimit: queueLimit,
            onFailure: onFailure ?? EffectFailureReport(of: "a Store of \(State.self)").add)
        core.setUp(middleware)
        core.beginFeedback()
        core.catchUp()
    }

    /// Creates a store from a state and a function that makes the next state from the state and an event.
    ///
    /// ```swift
    /// let counter = Store(initialState: 0, reduce: { state, event in state + event })
    /// ```
    ///
    /// - Parameters:
    ///   - initialState: The first state.
    ///   - reduce: Makes the next state, as in a reducer without effects.
    @inlinable
    public convenience init(
        initialState: State, reduce: @escaping @Sendable (State, Event) -> State
    ) {
        self.init(initialState: initialState, reducer: Reducer(reduce))
    }

    deinit { core.close() }

    /// The current state, including every event whose ``dispatch(_:)`` has returned.
    @inlinable
    public var state: State { core.state }

    /// Reduces an event to the next state, and notifies the observers.
    ///
    /// - Parameter event: What happened.
    /// - Complexity: O(*n*) for *n* observers, plus their own work.
    @inlinable
    public func dispatch(_ event: Event) { core.dispatch(event) }

    /// How many effects run, or wait for another effect or a delay.
    package var effectsUnderWay: Int { core.values.withLock { $0.effects.underWay } }
}

extension Store {
    /// Calls an observer with the current state, then for each event.
    ///
    /// - Parameters:
    ///   - fileID: The calling file, for the report about a slow observer.
    ///   - line: The calling line, for the same report.
    ///   - observer: Called with the state before and after an event. In the first call, the old state is nil
    ///     and the new one is the state at the time of subscription. Each newer event then makes one call, even
    ///     if it changed nothing. If the queue is idle, the first call happens before this method returns. If
    ///     you subscribe within an observer, or while another thread notifies the observers, the first call is
    ///     queued. A function that you subscribe twice is called twice.
    /// - Returns: A token that ends the subscription, and doesn't keep the store alive. You may ignore it: the
    ///   subscription then lasts as long as the store.
    /// - Complexity: O(1) amortized; O(*n*) for *n* observers while they are being notified. So is cancelling.
    @inlinable
    @preconcurrency
    @discardableResult
    public func subscribe(
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> ObserverToken {
        core.subscribe(at: CodeLocation(fileID: fileID, line: line), onClose: nil, observer)
    }

    /// Calls an observer on the main actor with the current state, then for each event.
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - fileID: The calling file, for the report about a slow observer.
    ///   - line: The calling line, for the same report.
    ///   - observer: Called in the same order as in ``subscribe(fileID:line:observer:)``, but always
    ///     asynchronously, even if the main thread dispatches. The store may have a newer state by then. After
    ///     code on the main actor has ended the subscription, the observer isn't called again.
    /// - Returns: A token that ends the subscription, as for ``subscribe(fileID:line:observer:)``.
    @discardableResult
    public func subscribe(
        on actor: MainActor,
        fileID: StaticString = #fileID, line: UInt = #line,
        observer: @escaping @MainActor @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> ObserverToken {
        core.subscribeOnMainActor(at: CodeLocation(fileID: fileID, line: line), observer)
    }

    /// The current state and later ones, as an asynchronous sequence.
    ///
    /// ```swift
    /// for await state in store.states { render(state) }
    /// ```
    ///
    /// Each access creates a new sequence, which gets the states from then on. Use it in one loop. While the
    /// loop is busy, the sequence keeps only the newest state and discards older ones. It doesn't keep the
    /// store alive. When the store is released, the sequence delivers the state that it keeps, and ends.
    public var states: AsyncStream<State> { core.states }
}

extension Store {
    /// A part of the state as a store of its own, which notifies only when that part changes.
    ///
    /// - Parameter part: A key path, or a pure function of the state.
    @inlinable
    public func derived<Part: Equatable & Sendable>(
        _ part: @escaping @Sendable (State) -> Part
    ) -> DerivedStore<Part, Event> {
        derived(part, event: { $0 })
    }

    /// A part of the state as a store of its own, with its own events.
    ///
    /// - Parameters:
    ///   - part: A key path, or a pure function of the state.
    ///   - event: Converts the part's event to the store's event. An enum's case will do.
    @inlinable
    public func derived<Part: Equatable & Sendable, PartEvent: Sendable>(
        _ part: @escaping @Sendable (State) -> Part,
        event: @escaping @Sendable (PartEvent) -> Event
    ) -> DerivedStore<Part, PartEvent> {
        DerivedStore<Part, PartEvent>(
            core.derived(part), send: { self.dispatch(event($0)) })
    }
}

extension Store {
    /// Returns a future that succeeds once no effect is under way.
    ///
    /// ```swift
    /// try await store.finish(within: .seconds(5)).value
    /// ```
    ///
    /// Effects that wait for another effect or for a delay count too, and so do the effects that an effect's
    /// event begins. If an effect never ends, such as a listener, cancel it first.
    ///
    /// - Parameters:
    ///   - duration: The longest wait.
    ///   - scheduler: The clock.
    /// - Returns: A future. It succeeds at once if no effect is under way, and otherwise after the observers
    ///   were notified of the last effect's event. After `duration` it fails with an error whose text
    ///   names the effects still under way. The future doesn't keep the store alive. When the store is
    ///   released, its effects are cancelled and the future succeeds. Cancelling the future cancels no effect.
    public func finish(
        within duration: Duration, on scheduler: some FutureScheduler = .live
    ) -> Future<Void> {
        core.finish(within: duration, on: scheduler)
    }
}

/// The error when a store's effects are still under way after a time limit.
///
/// ``Store/finish(within:on:)`` fails with it.
package struct EffectsUnfinished: Error, Hashable, CustomStringConvertible {
    /// The time that the caller waited.
    package let duration: Duration

    /// The effects that run or wait, oldest first.
    ///
    /// An effect is named by its ids, outermost first. Without an id, it is listed as "an effect without an id".
    /// Events on their way through the middleware come last.
    package let effects: [String]

    /// The time limit and the effects.
    package var description: String {
        let list = effects.map { "\n  - \($0)" }.joined()
        return "\(effects.count) effects of the store have not ended within \(duration):\(list)"
    }
}
