/// How a store makes its next state.
///
/// Closures, not an enum of them: a closure in an enum is copied out, and so retained, before it is
/// called; that was a fifth of a dispatch.
@usableFromInline
struct Reduction<State: Sendable, Event: Sendable>: Sendable {
    /// Makes the next state.
    @usableFromInline
    let reduce: @Sendable (inout State, Event) -> Void
    /// Makes the next state, and tells what there is to do besides; nil if there is never anything.
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

    /// Changes the state in place, and tells what there is to do besides.
    @inlinable
    init(withEffects reduce: @escaping @Sendable (inout State, Event) -> Effect<Event>) {
        self.reduce = { _ = reduce(&$0, $1) }
        reduceWithEffects = reduce
    }
}
