/// How a store makes its next state.
enum Reduction<State: Sendable, Event: Sendable>: Sendable {
    case returning(@Sendable (State, Event) -> State)
    case inPlace(@Sendable (inout State, Event) -> Void)
    case withEffects(@Sendable (inout State, Event) -> Effect<Event>)

    /// Makes the next state, and returns what there is to do besides.
    @inline(__always)
    func reduce(_ state: inout State, _ event: Event) -> Effect<Event> {
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
