/// The history of a ``StoreRecorder``: the events, the state after each, and the current position.
struct Timeline<State: Sendable, Event: Sendable>: Sendable {
    private(set) var events: [Event] = []
    /// One state more than events.
    private(set) var states: [State]
    /// An index of `states`.
    private(set) var position = 0
    /// How many of the oldest events were dropped.
    private(set) var droppedEvents = 0
    private let maximumEvents: Int
    private let feedback: [Feedback<State, Event>]
    /// Parts that were removed from the history.
    ///
    /// They may use the store when they are freed, so code that changes the history in the reducer puts them
    /// here.
    private var removedHistory = RemovedHistory()

    struct RemovedHistory: Sendable {
        var events: [Event] = []
        var states: [State] = []
    }

    init(_ initialState: State, maximumEvents: Int, feedback: [Feedback<State, Event>]) {
        states = [initialState]
        self.maximumEvents = maximumEvents
        self.feedback = feedback
    }

    /// Makes the next state from an event, or restores an earlier one.
    mutating func take(
        _ event: RecorderEvent<Event>, _ state: inout State,
        _ reduce: (inout State, Event) -> Effect<Event>
    ) -> Effect<RecorderEvent<Event>> {
        switch event {
        case .event(let event):
            return record(event, &state, reduce).map { .answer($0) }
        case .answer(let event) where position == events.count:
            return record(event, &state, reduce).map { .answer($0) }
        case .answer(let event):
            return append(event, reduce).map { .answer($0) }
        case .replay(let event):
            return record(event, &state, reduce).cancellations.map { .answer($0) }
        case .undo: go(to: position - 1, &state)
        case .redo: go(to: position + 1, &state)
        case .travel(let position): go(to: position, &state)
        }
        return .none
    }

    /// Takes the parts that were removed from the history, to free them outside all locks.
    mutating func takeRemovedHistory() -> RemovedHistory {
        defer { removedHistory = RemovedHistory() }
        return removedHistory
    }

    /// Adds an event after the position, in place of the undone events.
    private mutating func record(
        _ event: Event, _ state: inout State, _ reduce: (inout State, Event) -> Effect<Event>
    ) -> Effect<Event> {
        let end = states[states.count - 1]
        let effect = reduce(&state, event)
        removedHistory.events += events[position...]
        removedHistory.states += states[(position + 1)...]
        events.removeSubrange(position...)
        states.removeSubrange((position + 1)...)
        events.append(event)
        states.append(state)
        position += 1
        dropOldest()
        return whole(effect, from: end, to: state)
    }

    /// Adds an event after the undone events, without a change of position.
    private mutating func append(
        _ event: Event, _ reduce: (inout State, Event) -> Effect<Event>
    ) -> Effect<Event> {
        let end = states[states.count - 1]
        var next = end
        let effect = reduce(&next, event)
        events.append(event)
        states.append(next)
        dropOldest()
        return whole(effect, from: end, to: next)
    }

    /// The effect of an event, and the effects of the feedback for the newest state.
    private func whole(
        _ effect: Effect<Event>, from old: State, to new: State
    ) -> Effect<Event> {
        feedback.isEmpty ? effect : .merge([effect] + feedback.map { $0.step(old, new) })
    }

    /// Drops events beyond the maximum, up to the current state.
    private mutating func dropOldest() {
        let count = min(position, events.count - maximumEvents)
        guard count > 0 else { return }
        removedHistory.events += events.prefix(count)
        removedHistory.states += states.prefix(count)
        events.removeFirst(count)
        states.removeFirst(count)
        position -= count
        droppedEvents += count
    }

    private mutating func go(to position: Int, _ state: inout State) {
        guard states.indices.contains(position) else { return }
        self.position = position
        state = states[position]
    }
}
