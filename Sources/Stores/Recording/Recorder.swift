internal import Futures

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A store that remembers: it goes back and forth between its states, and plays events again.
///
/// ```swift
/// let recorder = Recorder(initialState: 0, reduce: { (state: Int, event: Int) in state + event })
/// recorder.dispatch(event: 3)
/// recorder.dispatch(event: 4)
/// recorder.undo()  // state is 3
/// recorder.redo()  // state is 7
/// recorder.travel(to: 0)  // state is 0
/// ```
///
/// Going back is a change like any other: observers are told of it in the store's one queue, in
/// consecutive pairs. An event that is dispatched after going back takes the place of those that were
/// undone. Effects are not undone, and not begun again by going forth; an event of theirs that comes
/// later is recorded like any other.
///
/// Everything may be used from any thread, as with ``Store``. It keeps every state and every event:
/// a step back or forth is O(1), however far.
public final class Recorder<State: Sendable, Event: Sendable>: Sendable {
    /// The store, for observers, derived stores and views.
    ///
    /// Dispatching to it, or to what is derived from it, is recorded too.
    public let store: Store<State, RecorderEvent<Event>>

    private let timeline: Locked<Timeline<State, Event>>

    private init(
        _ initialState: State,
        onFailure: @escaping @Sendable (any Error) -> Void,
        _ reduce: @escaping @Sendable (inout State, Event) -> Effect<Event>
    ) {
        let timeline = Locked(Timeline<State, Event>(initialState))
        self.timeline = timeline
        // The store reduces one event at a time, so the timeline has the events in its order.
        store = Store(
            initialState: initialState,
            effects: { state, event in
                timeline.withLock { $0.take(event, &state, reduce) }
            },
            onFailure: onFailure)
    }

    /// Makes a recorder of a state and a function that makes the next.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning, which is position 0.
    ///   - reduce: Makes the next state: a pure function.
    public convenience init(
        initialState: State, reduce: @escaping @Sendable (State, Event) -> State
    ) {
        self.init(initialState, onFailure: { _ in }) { state, event in
            state = reduce(state, event)
            return .none
        }
    }

    /// Makes a recorder of a state and a reducer.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning, which is position 0.
    ///   - reducer: Makes the next state.
    public convenience init(initialState: State, reducer: Reducer<State, Event>) {
        self.init(initialState, onFailure: { _ in }) { state, event in
            reducer.reduce(&state, event)
            return .none
        }
    }

    /// Makes a recorder whose events have effects besides.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning, which is position 0.
    ///   - effects: Changes the state, and returns what there is to do besides.
    ///   - onFailure: Called with the error of an effect that failed without an event.
    public convenience init(
        initialState: State,
        effects: @escaping @Sendable (inout State, Event) -> Effect<Event>,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        self.init(initialState, onFailure: onFailure, effects)
    }

    /// The state now.
    public var state: State { store.state }

    /// Dispatches an event, and records it.
    ///
    /// - Parameter event: What happened. Events that were undone are forgotten.
    public func dispatch(event: Event) { store.dispatch(event: .event(event)) }

    /// Calls an observer with the state now and whenever it may have changed, undoing included.
    ///
    /// - Parameter observer: Called as with ``Store/subscribe(observer:)``.
    /// - Returns: What ``unsubscribe(_:)`` takes.
    @preconcurrency
    @discardableResult
    public func subscribe(
        observer: @escaping @Sendable (_ oldState: State?, _ newState: State) -> Void
    ) -> UUID {
        store.subscribe(observer: observer)
    }

    /// Stops calling an observer.
    ///
    /// - Parameter subscriptionID: What ``subscribe(observer:)`` returned.
    public func unsubscribe(_ subscriptionID: UUID) { store.unsubscribe(subscriptionID) }

    /// How many events lead from the initial state to the state now.
    public var position: Int { history { $0.position } }

    /// All events that are recorded, in order, those that were undone included.
    public var events: [Event] { history { $0.events } }

    /// The state at every position: the initial one, and one after each event.
    public var states: [State] { history { $0.states } }

    /// Whether there is an event to undo.
    public var canUndo: Bool { position > 0 }

    /// Whether an event was undone, and none dispatched since.
    public var canRedo: Bool { history { $0.position < $0.events.count } }

    /// Goes one event back.
    ///
    /// - Returns: False where there is none; then nothing happens.
    @discardableResult
    public func undo() -> Bool { go(.undo, if: canUndo) }

    /// Goes one event forth again.
    ///
    /// - Returns: False where none was undone; then nothing happens.
    @discardableResult
    public func redo() -> Bool { go(.redo, if: canRedo) }

    /// Goes to any position.
    ///
    /// - Parameter position: How many events to be at: 0 is the initial state.
    /// - Returns: False where there is no such position; then nothing happens.
    @discardableResult
    public func travel(to position: Int) -> Bool {
        go(.travel(to: position), if: history { $0.states.indices.contains(position) })
    }

    /// Plays events, without their effects.
    ///
    /// - Parameter events: The events. Those of effects have to be among them, as they are where they
    ///   were recorded. They are recorded here, too.
    public func replay(_ events: some Sequence<Event>) {
        for event in events { store.dispatch(event: .replay(event)) }
    }

    /// The events that lead to the state now.
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

extension Recorder where State: Reducible, State.Event == Event {
    /// Makes a recorder of a state that knows its events.
    ///
    /// - Parameter initialState: The state at the beginning, which is position 0.
    public convenience init(initialState: State) {
        self.init(initialState: initialState, reducer: Reducer())
    }
}
