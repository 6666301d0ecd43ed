/// A pure function that makes the next state from a state and an event.
///
/// It can be written in three forms, and called in each of them:
///
/// ```swift
/// let classic = Reducer<Int, Int> { state, event in state + event }
/// let curried = Reducer<Int, Int> { state in { event in state + event } }
/// let inPlace = Reducer<Int, Int> { state, event in state += event }
///
/// inPlace.reduce(1, 2)  // 3
/// ```
///
/// A reducer has no state of its own. It may be called from any thread, and its function runs on the
/// thread of the call, before the call returns.
public struct Reducer<State, Event>: Sendable {
    @usableFromInline
    let body: @Sendable (inout State, Event) -> Void

    /// Makes a reducer that changes the state in place.
    ///
    /// - Parameter reduce: Changes the passed state. Otherwise it must be pure.
    @inlinable
    public init(_ reduce: @escaping @Sendable (inout State, Event) -> Void) {
        body = reduce
    }

    /// Makes a reducer that returns the next state.
    ///
    /// - Parameter reduce: A pure function of the state and the event.
    @inlinable
    public init(_ reduce: @escaping @Sendable (State, Event) -> State) {
        body = { state, event in state = reduce(state, event) }
    }

    /// Makes a reducer from a function that takes the state and the event one after the other.
    ///
    /// - Parameter reduce: A pure function of the state, which returns a pure function of the event.
    @inlinable
    public init(_ reduce: @escaping @Sendable (State) -> (Event) -> State) {
        body = { state, event in state = reduce(state)(event) }
    }

    /// Changes a state in place.
    ///
    /// - Parameters:
    ///   - state: The state before, and then the state after.
    ///   - event: What happened.
    @inlinable
    public func reduce(_ state: inout State, _ event: Event) {
        body(&state, event)
    }

    /// Returns the next state.
    ///
    /// - Parameters:
    ///   - state: The state before.
    ///   - event: What happened.
    @inlinable
    public func reduce(_ state: State, _ event: Event) -> State {
        var next = state
        body(&next, event)
        return next
    }

    /// Returns the function that makes the next state from an event.
    ///
    /// - Parameter state: The state before. The function always starts from it, however often it is
    ///   called.
    @inlinable
    public func reduce(_ state: State) -> (Event) -> State {
        { event in reduce(state, event) }
    }
}

extension Reducer {
    /// Changes a state in place, as `reduce` does.
    @inlinable
    public func callAsFunction(_ state: inout State, _ event: Event) {
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
