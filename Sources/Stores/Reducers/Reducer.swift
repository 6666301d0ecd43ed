/// A pure function from a state and an event to the next state, and an effect if there is one.
///
/// ```swift
/// let returning = Reducer<Int, Int> { state, event in state + event }
/// let curried = Reducer<Int, Int> { state in { event in state + event } }
/// let inPlace = Reducer<Int, Int> { state, event in state += event }
/// let withEffects = Reducer<Int, Int>(effects: { state, event in
///     state += event
///     return event == 0 ? .future(randomNumber()).id("number") : .none
/// })
///
/// inPlace.reduce(1, 2)  // 3
/// ```
///
/// A ``Store``, a ``StoreRecorder`` and a `TestStore` take it. You can call it in each form, whichever form it was written
/// in. It runs on the calling thread, before the call returns; any thread may call it.
public struct Reducer<State, Event: Sendable>: Sendable {
    /// Makes the next state.
    ///
    /// Where there are no effects, nothing else is called: returning an effect, even none, costs a tenth of the time of a
    /// dispatch, and more in each reducer of a part.
    @usableFromInline
    let change: @Sendable (inout State, Event) -> Void
    /// Makes the next state, and returns the effect; nil if there never is one.
    @usableFromInline
    let changeWithEffect: (@Sendable (inout State, Event) -> Effect<Event>)?

    @usableFromInline
    var mayHaveEffects: Bool { changeWithEffect != nil }

    /// Makes a reducer of others, from two functions that make the same state; the second is left out without effects.
    init(
        mayHaveEffects: Bool, change: @escaping @Sendable (inout State, Event) -> Void,
        withEffect: @escaping @Sendable (inout State, Event) -> Effect<Event>
    ) {
        self.change = change
        changeWithEffect = mayHaveEffects ? withEffect : nil
    }

    @inlinable
    func body(_ state: inout State, _ event: Event) -> Effect<Event> {
        if let changeWithEffect { return changeWithEffect(&state, event) }
        change(&state, event)
        return .none
    }

    /// Makes a reducer that changes the state in place.
    ///
    /// - Parameter reduce: Changes the passed state. Otherwise it must be pure.
    @_disfavoredOverload  // A switch whose branches are states returns one of them.
    @inlinable
    public init(_ reduce: @escaping @Sendable (inout State, Event) -> Void) {
        change = reduce
        changeWithEffect = nil
    }

    /// Makes a reducer that returns the next state.
    ///
    /// - Parameter reduce: A pure function of the state and the event.
    @inlinable
    public init(_ reduce: @escaping @Sendable (State, Event) -> State) {
        change = { $0 = reduce($0, $1) }
        changeWithEffect = nil
    }

    /// Makes a reducer from a function that takes the state and the event one after the other.
    ///
    /// - Parameter reduce: A pure function of the state, which returns a pure function of the event.
    @inlinable
    public init(_ reduce: @escaping @Sendable (State) -> (Event) -> State) {
        change = { $0 = reduce($0)($1) }
        changeWithEffect = nil
    }

    /// Makes a reducer that changes the state in place, and returns an effect.
    ///
    /// Write the label. Without it a closure that fits another form, such as one that returns a state's own `.none`,
    /// makes a reducer of that form.
    ///
    /// - Parameters:
    ///   - reduce: Changes the passed state, and returns the effect, or `.none`. Otherwise it must be pure: the store
    ///     begins the effect later.
    ///   - nothing: Takes no argument. It is there for the compiler, which then prefers the forms without effects.
    @_disfavoredOverload
    @inlinable
    public init<each Nothing>(
        effects reduce: @escaping @Sendable (inout State, Event) -> Effect<Event>,
        _ nothing: repeat each Nothing
    ) {
        change = { _ = reduce(&$0, $1) }
        changeWithEffect = reduce
    }
}

extension Reducer where State: Reducible, State.Event == Event {
    /// Makes the reducer that a state defines.
    @inlinable
    public init() {
        self.init { state, event in State.reduce(state, event: event) }
    }
}

// MARK: - Calling it

extension Reducer {
    /// Changes a state in place.
    ///
    /// - Parameters:
    ///   - state: The state before, and then the state after.
    ///   - event: What happened.
    /// - Returns: The effect, which has not begun.
    @inlinable
    @discardableResult
    public func reduce(_ state: inout State, _ event: Event) -> Effect<Event> {
        body(&state, event)
    }

    /// Returns the next state, without the effect.
    ///
    /// - Parameters:
    ///   - state: The state before.
    ///   - event: What happened.
    @inlinable
    public func reduce(_ state: State, _ event: Event) -> State {
        var next = state
        _ = body(&next, event)
        return next
    }

    /// Returns the function that makes the next state from an event, without the effect.
    ///
    /// - Parameter state: The state before. The function always starts from it, however often it is
    ///   called.
    @inlinable
    public func reduce(_ state: State) -> (Event) -> State {
        { event in reduce(state, event) }
    }

    /// Changes a state in place and returns the effect, as `reduce` does.
    @inlinable
    @discardableResult
    public func callAsFunction(_ state: inout State, _ event: Event) -> Effect<Event> {
        body(&state, event)
    }

    /// Returns the next state, as `reduce` does.
    @inlinable
    public func callAsFunction(_ state: State, _ event: Event) -> State {
        reduce(state, event)
    }

    /// Returns the function that makes the next state, as ``reduce(_:)`` does.
    @inlinable
    public func callAsFunction(_ state: State) -> (Event) -> State {
        reduce(state)
    }
}
