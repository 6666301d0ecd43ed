/// A function that makes the next state from a state and an event, and returns an effect.
///
/// ```swift
/// let counter = EffectReducer<Int, CounterEvent> { count, event in
///     switch event {
///     case .increase: count += 1; return .none
///     case .ask: return .future(randomNumber()).id("number")
///     }
/// }
/// let store = Store(initialState: 0, effects: counter)
/// ```
///
/// It corresponds to the ``Reducer`` of a store without effects: reducers of parts are combined into one of
/// the whole, with ``combine(_:)``, ``scope(_:event:embed:)`` and `forEach`.
public struct EffectReducer<State, Event: Sendable>: Sendable {
    @usableFromInline
    let body: @Sendable (inout State, Event) -> Effect<Event>

    /// Makes a reducer with effects.
    ///
    /// - Parameter reduce: Changes the passed state, and returns the effect. Otherwise it must be pure: the
    ///   store begins the effect later.
    @inlinable
    public init(_ reduce: @escaping @Sendable (inout State, Event) -> Effect<Event>) {
        body = reduce
    }

    /// Makes a reducer with effects from a ``Reducer``; it returns no effects.
    ///
    /// - Parameter reducer: Makes the next state.
    @inlinable
    public init(_ reducer: Reducer<State, Event>) {
        body = { state, event in
            reducer.body(&state, event)
            return .none
        }
    }

    /// Changes a state in place, and returns the effect.
    ///
    /// - Parameters:
    ///   - state: The state before, and then the state after.
    ///   - event: What happened.
    /// - Returns: The effect, which has not begun.
    @inlinable
    public func reduce(_ state: inout State, _ event: Event) -> Effect<Event> {
        body(&state, event)
    }

    /// Changes a state in place, as `reduce` does.
    @inlinable
    public func callAsFunction(_ state: inout State, _ event: Event) -> Effect<Event> {
        body(&state, event)
    }

    /// This reducer, for a state that may be nil.
    ///
    /// - Returns: A reducer that does nothing, and has no effects, while the state is nil.
    public var optional: EffectReducer<State?, Event> {
        EffectReducer<State?, Event> { state, event in
            guard state != nil else { return .none }
            return body(&state!, event)
        }
    }
}
