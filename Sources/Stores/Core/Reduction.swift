/// How a store makes its next state.
///
/// Closures in properties, not in an enum: a closure in an enum is copied, and so retained, before it is
/// called, which costs a fifth of the time of a dispatch.
@usableFromInline
struct Reduction<State: Sendable, Event: Sendable>: Sendable {
    /// Makes the next state.
    @usableFromInline
    let reduce: @Sendable (inout State, Event) -> Void
    /// Makes the next state, and returns the effect; nil if there are no effects.
    @usableFromInline
    let reduceWithEffects: (@Sendable (inout State, Event) -> Effect<Event>)?

    /// Makes the next state as a value of its own.
    @inlinable
    static func returning(_ reduce: @escaping @Sendable (State, Event) -> State) -> Self {
        Self(inPlace: { $0 = reduce($0, $1) })
    }

    /// Changes the state in place.
    @inlinable
    init(inPlace reduce: @escaping @Sendable (inout State, Event) -> Void) {
        self.reduce = reduce
        reduceWithEffects = nil
    }

    /// Changes the state in place, and returns the effect.
    @inlinable
    init(withEffects reduce: @escaping @Sendable (inout State, Event) -> Effect<Event>) {
        self.reduce = { _ = reduce(&$0, $1) }
        reduceWithEffects = reduce
    }
}
