/// How a store makes its next state.
@usableFromInline
enum Reduction<State: Sendable, Event: Sendable>: Sendable {
    case returning(@Sendable (State, Event) -> State)
    case inPlace(@Sendable (inout State, Event) -> Void)
    case withEffects(@Sendable (inout State, Event) -> Effect<Event>)

    /// Whether there may be something to do besides.
    @inlinable
    var hasEffects: Bool {
        if case .withEffects = self { true } else { false }
    }

    /// Makes the next state.
    @inlinable
    func reduce(_ state: inout State, _ event: Event) {
        switch self {
        case .returning(let reduce): state = reduce(state, event)
        case .inPlace(let reduce): reduce(&state, event)
        case .withEffects(let reduce): _ = reduce(&state, event)
        }
    }

    /// Makes the next state, and returns what there is to do besides.
    func reduceWithEffects(_ state: inout State, _ event: Event) -> Effect<Event> {
        switch self {
        case .returning(let reduce):
            state = reduce(state, event)
            return .none
        case .inPlace(let reduce):
            reduce(&state, event)
            return .none
        case .withEffects(let reduce):
            return reduce(&state, event)
        }
    }
}
