/// A ``StoreRecorder``'s history: the events, the state after each, and the current position.
struct Timeline<State: Sendable, Event: Sendable>: Sendable {
    private(set) var events: [Event] = []
    /// The state before all events, and the state after each.
    private(set) var states: [State]
    /// The index of the current state.
    private(set) var position = 0
    /// How many of the oldest events were dropped.
    private(set) var droppedEvents = 0
    private let maximumEvents: Int
    private let feedback: [Feedback<State, Event>]
    /// What was removed from the history.
    ///
    /// That happens inside the reducer. If it were freed there, its objects might use the store, which traps. So an
    /// observer frees it.
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

    /// Reduces an event, or goes to another state of the history.
    mutating func applyEvent(
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

    /// Takes what was removed, for the caller to free outside all locks.
    mutating func takeRemovedHistory() -> RemovedHistory {
        defer { removedHistory = RemovedHistory() }
        return removedHistory
    }

    /// Adds an event in place of the undone ones.
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

    /// Adds an event after the undone ones, and stays at the position.
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

    /// The event's effect, merged with the feedback's effects for the newest state.
    private func whole(
        _ effect: Effect<Event>, from old: State, to new: State
    ) -> Effect<Event> {
        feedback.isEmpty ? effect : .merge([effect] + feedback.map { $0.step(old, new) })
    }

    /// Drops the oldest events beyond the limit, but none after the current state.
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

extension Effect {
    /// The effect's cancellations and replacements, without the work that it begins.
    var cancellations: Effect { Effect(tree.cancellations) }
}

extension EffectTree {
    fileprivate var cancellations: EffectTree {
        switch self {
        case .cancel: return self
        case .merge(let trees): return .together(trees.map(\.cancellations))
        case .concatenate(let trees):
            // A cancellation after an effect that begins work would happen later, so it's left out.
            let first = trees.firstIndex { !$0.isCancel } ?? trees.endIndex
            return .together(trees.prefix(first + 1).map(\.cancellations))
        case .identified(let tree, let id, .newest):
            return .together([.cancel(id), tree.cancellations])
        case .identified(let tree, _, _): return tree.cancellations
        default: return .none
        }
    }

    private var isCancel: Bool {
        if case .cancel = self { true } else { false }
    }
}
