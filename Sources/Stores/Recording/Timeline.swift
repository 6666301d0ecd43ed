/// The history of a ``Recorder``: what happened, what was the state each time, and where we are.
struct Timeline<State: Sendable, Event: Sendable>: Sendable {
    private(set) var events: [Event] = []
    /// One more than there are events.
    private(set) var states: [State]
    /// An index of `states`.
    private(set) var position = 0

    init(_ initialState: State) { states = [initialState] }

    /// Makes the next state of an event, or an earlier one again.
    mutating func take(
        _ event: RecorderEvent<Event>, _ state: inout State,
        _ reduce: (inout State, Event) -> Effect<Event>
    ) -> Effect<RecorderEvent<Event>> {
        switch event {
        case .event(let event):
            let effect = reduce(&state, event)
            record(event, state)
            return effect.map { .event($0) }
        case .replay(let event):
            _ = reduce(&state, event)
            record(event, state)
        case .undo: go(to: position - 1, &state)
        case .redo: go(to: position + 1, &state)
        case .travel(let position): go(to: position, &state)
        }
        return .none
    }

    /// Adds an event after the position, in place of those that were undone.
    private mutating func record(_ event: Event, _ state: State) {
        events.removeSubrange(position...)
        states.removeSubrange((position + 1)...)
        events.append(event)
        states.append(state)
        position += 1
    }

    private mutating func go(to position: Int, _ state: inout State) {
        guard states.indices.contains(position) else { return }
        self.position = position
        state = states[position]
    }
}
