/// The history of a ``Recorder``: what happened, what was the state each time, and where we are.
struct Timeline<State: Sendable, Event: Sendable>: Sendable {
    private(set) var events: [Event] = []
    /// One more than there are events.
    private(set) var states: [State]
    /// An index of `states`.
    private(set) var position = 0
    /// How many of the oldest events are not kept any more.
    private(set) var droppedEvents = 0
    private let maximumEvents: Int
    private let feedback: [Feedback<State, Event>]
    /// What is not part of the history any more.
    ///
    /// It may use the store as it is freed, so who changes the history in the reducer leaves it here.
    private var forgotten = Forgotten()

    struct Forgotten: Sendable {
        var events: [Event] = []
        var states: [State] = []
    }

    init(_ initialState: State, maximumEvents: Int, feedback: [Feedback<State, Event>]) {
        states = [initialState]
        self.maximumEvents = maximumEvents
        self.feedback = feedback
    }

    /// Makes the next state of an event, or an earlier one again.
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

    /// Takes what is not part of the history any more, to free it outside all locks.
    mutating func takeForgotten() -> Forgotten {
        defer { forgotten = Forgotten() }
        return forgotten
    }

    /// Adds an event after the position, in place of those that were undone.
    private mutating func record(
        _ event: Event, _ state: inout State, _ reduce: (inout State, Event) -> Effect<Event>
    ) -> Effect<Event> {
        let end = states[states.count - 1]
        let effect = reduce(&state, event)
        forgotten.events += events[position...]
        forgotten.states += states[(position + 1)...]
        events.removeSubrange(position...)
        states.removeSubrange((position + 1)...)
        events.append(event)
        states.append(state)
        position += 1
        dropOldest()
        return whole(effect, from: end, to: state)
    }

    /// Adds an event after those that were undone, where the position stays.
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

    /// The effect of an event, and what the feedback has to do about the newest state.
    private func whole(
        _ effect: Effect<Event>, from old: State, to new: State
    ) -> Effect<Event> {
        feedback.isEmpty ? effect : .merge([effect] + feedback.map { $0.step(old, new) })
    }

    /// Drops what is beyond the bound, up to the state now.
    private mutating func dropOldest() {
        let count = min(position, events.count - maximumEvents)
        guard count > 0 else { return }
        forgotten.events += events.prefix(count)
        forgotten.states += states.prefix(count)
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
