extension Store where State: Reducible, State.Event == Event {
    /// Makes a store of a state that defines its events and its reducer.
    ///
    /// - Parameter initialState: The state at the beginning.
    @inlinable
    public convenience init(initialState: State) {
        self.init(initialState, .returning { State.reduce($0, event: $1) })
    }
}

extension Store {
    /// Makes a store of a state and a function that makes the next state.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - reduce: Makes the next state from the state and an event. It runs inside
    ///     ``dispatch(event:)``, one event at a time, on the thread that dispatches, and must be pure. Using
    ///     the store in it is a programming error and traps.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. See
    ///     ``Store``. Less than one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event, on the thread that
    ///     settles its future. By default a line is written to standard error.
    @inlinable
    public convenience init(
        initialState: State,
        reduce: @escaping @Sendable (State, Event) -> State,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        self.init(
            initialState, .returning(reduce), middleware: middleware, feedback: feedback,
            queueLimit: queueLimit,
            onFailure: onFailure)
    }

    /// Makes a store of a state and a reducer, which changes the state in place if it can.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - reducer: Makes the next state.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. See
    ///     ``Store``. Less than one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event, on the thread that
    ///     settles its future. By default a line is written to standard error.
    @inlinable
    public convenience init(
        initialState: State,
        reducer: Reducer<State, Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        self.init(
            initialState, Reduction(inPlace: reducer.body), middleware: middleware,
            feedback: feedback, queueLimit: queueLimit,
            onFailure: onFailure)
    }

    /// Makes a store whose events have effects.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - effects: Changes the state for an event, and returns the effect. It runs inside
    ///     ``dispatch(event:)`` and must be pure: the effect is begun later.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. See
    ///     ``Store``. Less than one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event, on the thread that
    ///     settles its future. By default a line is written to standard error.
    @_disfavoredOverload  // A trailing closure without a label is the plain function.
    @inlinable
    public convenience init(
        initialState: State,
        effects: @escaping @Sendable (inout State, Event) -> Effect<Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        self.init(
            initialState, Reduction(withEffects: effects), middleware: middleware,
            feedback: feedback, queueLimit: queueLimit,
            onFailure: onFailure)
    }

    /// Makes a store of a state and a reducer with effects.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - effects: Changes the state for an event, and returns the effect.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. See
    ///     ``Store``. Less than one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event, on the thread that
    ///     settles its future. By default a line is written to standard error.
    @inlinable
    public convenience init(
        initialState: State,
        effects: EffectReducer<State, Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        self.init(
            initialState, Reduction(withEffects: effects.body), middleware: middleware,
            feedback: feedback, queueLimit: queueLimit,
            onFailure: onFailure)
    }
}
