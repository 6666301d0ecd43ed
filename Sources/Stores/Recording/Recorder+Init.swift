extension Recorder {
    /// Makes a recorder of a state and a function that makes the next state.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning, which is position 0.
    ///   - maximumEvents: How many events are kept at most; by default all. The oldest are dropped, with
    ///     the states before them, up to the state now; dropping an event is O(*maximumEvents*).
    ///   - reduce: Makes the next state: a pure function.
    ///   - middleware: Layers around dispatch, the outermost first. Events of effects go through them, too;
    ///     steps through the history and replayed events do not.
    ///   - feedback: Effects that live as long as a query of the newest state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. See
    ///     ``Store``. Less than one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event.
    public convenience init(
        initialState: State, maximumEvents: Int = .max,
        reduce: @escaping @Sendable (State, Event) -> State,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        self.init(
            initialState: initialState, maximumEvents: maximumEvents, reducer: Reducer(reduce),
            middleware: middleware, feedback: feedback, queueLimit: queueLimit, onFailure: onFailure
        )
    }

    /// Makes a recorder of a state and a reducer.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning, which is position 0.
    ///   - maximumEvents: How many events are kept at most; by default all. The oldest are dropped, with
    ///     the states before them, up to the state now; dropping an event is O(*maximumEvents*).
    ///   - reducer: Makes the next state.
    ///   - middleware: Layers around dispatch, the outermost first. Events of effects go through them, too;
    ///     steps through the history and replayed events do not.
    ///   - feedback: Effects that live as long as a query of the newest state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. See
    ///     ``Store``. Less than one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event.
    public convenience init(
        initialState: State, maximumEvents: Int = .max,
        reducer: Reducer<State, Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        self.init(
            initialState, maximumEvents: maximumEvents, middleware: middleware,
            feedback: feedback, queueLimit: queueLimit, onFailure: onFailure
        ) { state, event in
            reducer.reduce(&state, event)
            return .none
        }
    }

    /// Makes a recorder whose events have effects.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning, which is position 0.
    ///   - maximumEvents: How many events are kept at most; by default all. The oldest are dropped, with
    ///     the states before them, up to the state now; dropping an event is O(*maximumEvents*).
    ///   - effects: Changes the state, and returns the effect.
    ///   - middleware: Layers around dispatch, the outermost first. Events of effects go through them, too;
    ///     steps through the history and replayed events do not.
    ///   - feedback: Effects that live as long as a query of the newest state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. See
    ///     ``Store``. Less than one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event.
    public convenience init(
        initialState: State, maximumEvents: Int = .max,
        effects: @escaping @Sendable (inout State, Event) -> Effect<Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        self.init(
            initialState, maximumEvents: maximumEvents, middleware: middleware,
            feedback: feedback, queueLimit: queueLimit, onFailure: onFailure, effects)
    }

    /// Makes a recorder of a state and a reducer with effects.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning, which is position 0.
    ///   - maximumEvents: How many events are kept at most; by default all. The oldest are dropped, with
    ///     the states before them, up to the state now; dropping an event is O(*maximumEvents*).
    ///   - effects: Changes the state, and returns the effect.
    ///   - middleware: Layers around dispatch, the outermost first. Events of effects go through them, too;
    ///     steps through the history and replayed events do not.
    ///   - feedback: Effects that live as long as a query of the newest state has a value.
    ///   - queueLimit: How many changes may wait for the observers before a dispatch waits; nil: any number. See
    ///     ``Store``. Less than one is a programming error and traps.
    ///   - onFailure: Called with the error of an effect that failed without an event.
    public convenience init(
        initialState: State, maximumEvents: Int = .max,
        effects: EffectReducer<State, Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: @escaping @Sendable (any Error) -> Void = reportUnhandled
    ) {
        self.init(
            initialState, maximumEvents: maximumEvents, middleware: middleware,
            feedback: feedback, queueLimit: queueLimit, onFailure: onFailure, effects.body)
    }
}

extension Recorder where State: Reducible, State.Event == Event {
    /// Makes a recorder of a state that defines its events and its reducer.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning, which is position 0.
    ///   - maximumEvents: How many events are kept at most; by default all. The oldest are dropped, with
    ///     the states before them, up to the state now; dropping an event is O(*maximumEvents*).
    public convenience init(initialState: State, maximumEvents: Int = .max) {
        self.init(initialState: initialState, maximumEvents: maximumEvents, reducer: Reducer())
    }
}
