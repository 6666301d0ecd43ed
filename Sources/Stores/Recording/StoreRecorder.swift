internal import PledgeFutures

/// A store with a history: it goes back and forth between its states, and replays events.
///
/// ```swift
/// let recorder = StoreRecorder(initialState: 0, reducer: Reducer { (state: Int, event: Int) in state + event })
/// recorder.dispatch(event: 3)
/// recorder.dispatch(event: 4)
/// recorder.undo()  // state is 3
/// recorder.redo()  // state is 7
/// recorder.travel(to: 0)  // state is 0
/// ```
///
/// Going back is a change like any other: observers are notified of it in the store's one queue, in
/// consecutive pairs. An event that is dispatched after going back replaces the undone events. Effects are
/// not undone, and not begun again by going forward. An effect's event that arrives while the recorder has
/// gone back is recorded after the undone events, and redone with them. Feedback follows the newest state:
/// going back and forward neither begins nor cancels its effects.
///
/// Everything may be used from any thread, as with ``Store``. It keeps every state and every event, or the
/// newest if it is made with a maximum. A step of any length is O(1).
public final class StoreRecorder<State: Sendable, Event: Sendable>: Sendable {
    /// The store, for observers, derived stores and views.
    ///
    /// Events dispatched to it, or to a store derived from it, are recorded too.
    public let store: Store<State, RecorderEvent<Event>>

    private let timeline: Locked<Timeline<State, Event>>

    /// Makes a recorder of a state and a reducer.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning, which is position 0.
    ///   - maximumEvents: How many events are kept at most; by default all. The oldest are dropped, with
    ///     the states before them, up to the state now; dropping an event is O(*maximumEvents*).
    ///   - reducer: Makes the next state, and effects if it has any.
    ///   - middleware: Layers around dispatch, the outermost first. Events of effects go through them, too;
    ///     steps through the history and replayed events do not.
    ///   - feedback: Effects that live as long as a query of the newest state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. See
    ///     ``Store``. Less than one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event.
    public init(
        initialState: State, maximumEvents: Int = .max,
        reducer: Reducer<State, Event>,
        middleware: [StoreMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        precondition(maximumEvents >= 0, "StoreRecorder: maximumEvents is negative.")
        let timeline = Locked(
            Timeline<State, Event>(
                initialState, maximumEvents: maximumEvents, feedback: feedback))
        self.timeline = timeline
        // The store reduces one event at a time, so the timeline has the events in its order.
        store = Store(
            initialState: initialState,
            reducer: Reducer(effects: { state, event in
                timeline.withLock { $0.take(event, &state, reducer.body) }
            }),
            middleware: middleware.map { $0.ofRecorder() },
            feedback: feedback.map(\.ofRecorderAtTheBeginning), queueLimit: queueLimit,
            onFailure: onFailure)
        // Observers are called without a lock, so discarded states and events are freed in this one.
        store.subscribe { _, _ in timeline.withLockThenRelease { $0.takeRemovedHistory() } }
    }

    /// The state now.
    public var state: State { store.state }

    /// Dispatches an event, and records it.
    ///
    /// - Parameter event: What happened. Undone events are discarded.
    public func dispatch(event: Event) { store.dispatch(event: .event(event)) }

    /// How many events lead from the first of ``states`` to the current state.
    public var position: Int { history { $0.position } }

    /// All events that are kept, in order, including undone ones.
    public var events: [Event] { history { $0.events } }

    /// How many of the oldest events were dropped because of the maximum.
    public var droppedEvents: Int { history { $0.droppedEvents } }

    /// The state at every position: the initial one, or the oldest that is kept, and one after each
    /// event.
    public var states: [State] { history { $0.states } }

    /// Whether there is an event to undo.
    public var canUndo: Bool { position > 0 }

    /// Whether an event was undone, and no event was dispatched since.
    public var canRedo: Bool { history { $0.position < $0.events.count } }

    /// Goes one event back.
    ///
    /// - Returns: False if there is none; then nothing happens.
    @discardableResult
    public func undo() -> Bool { go(.undo, if: canUndo) }

    /// Goes one event forth again.
    ///
    /// - Returns: False if none was undone; then nothing happens.
    @discardableResult
    public func redo() -> Bool { go(.redo, if: canRedo) }

    /// Goes to any position.
    ///
    /// - Parameter position: The number of events before it: 0 is the initial state.
    /// - Returns: False if there is no such position; then nothing happens.
    @discardableResult
    public func travel(to position: Int) -> Bool {
        go(.travel(to: position), if: history { $0.states.indices.contains(position) })
    }

    /// Replays events, without their effects.
    ///
    /// No effect begins. Effects under way are cancelled if an event cancels them, or replaces them by an
    /// effect with the same id.
    ///
    /// - Parameter events: The events. They include the events of effects, as recorded events do. They are
    ///   recorded here, too. They do not go through middleware, because recorded events have been through it.
    public func replay(_ events: some Sequence<Event>) {
        for event in events { store.dispatch(event: .replay(event)) }
    }

    /// The events that lead to the current state.
    var eventsUpToNow: [Event] { history { Array($0.events.prefix($0.position)) } }

    /// Reads the history; inside the reducer, which is about to add to it, that traps as with the store.
    private func history<Part>(_ part: (Timeline<State, Event>) -> Part) -> Part {
        store.core.trapIfReducing("read the history")
        return timeline.withLock { part($0) }
    }

    private func go(_ event: RecorderEvent<Event>, if isPossible: Bool) -> Bool {
        if isPossible { store.dispatch(event: event) }
        return isPossible
    }
}
