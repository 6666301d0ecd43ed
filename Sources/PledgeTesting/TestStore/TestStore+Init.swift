public import Pledge

extension TestStore {
    /// Makes a store of a state and a function that makes the next state.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - reduce: Makes the next state from the state and an event.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - exhaustivity: What it checks.
    ///   - onFailure: Fails the test.
    ///   - fileID: The file at which a failure at the end is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure at the end is shown.
    ///   - column: The column at which a failure at the end is shown.
    public convenience init(
        initialState: State,
        reduce: @escaping @Sendable (State, Event) -> State,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [],
        exhaustivity: TestStoreExhaustivity = .all,
        onFailure: @escaping FailureReport = reportTestFailure,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        self.init(
            initialState: initialState,
            effects: { state, event in
                state = reduce(state, event)
                return .none
            },
            middleware: middleware, feedback: feedback,
            exhaustivity: exhaustivity, onFailure: onFailure, fileID: fileID,
            filePath: filePath, line: line, column: column)
    }

    /// Makes a store of a state and a reducer.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - reducer: Makes the next state.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - exhaustivity: What it checks.
    ///   - onFailure: Fails the test.
    ///   - fileID: The file at which a failure at the end is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure at the end is shown.
    ///   - column: The column at which a failure at the end is shown.
    public convenience init(
        initialState: State,
        reducer: Reducer<State, Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [],
        exhaustivity: TestStoreExhaustivity = .all,
        onFailure: @escaping FailureReport = reportTestFailure,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        self.init(
            initialState: initialState,
            effects: { state, event in
                reducer.reduce(&state, event)
                return .none
            },
            middleware: middleware, feedback: feedback,
            exhaustivity: exhaustivity, onFailure: onFailure, fileID: fileID,
            filePath: filePath, line: line, column: column)
    }

    /// Makes a store of a state and a reducer with effects.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - effects: Changes the state, and returns the effect.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - exhaustivity: What it checks.
    ///   - onFailure: Fails the test.
    ///   - fileID: The file at which a failure at the end is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure at the end is shown.
    ///   - column: The column at which a failure at the end is shown.
    public convenience init(
        initialState: State,
        effects: EffectReducer<State, Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [],
        exhaustivity: TestStoreExhaustivity = .all,
        onFailure: @escaping FailureReport = reportTestFailure,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        self.init(
            initialState: initialState,
            effects: { state, event in effects.reduce(&state, event) },
            middleware: middleware, feedback: feedback,
            exhaustivity: exhaustivity, onFailure: onFailure, fileID: fileID,
            filePath: filePath, line: line, column: column)
    }
}

extension TestStore where State: Reducible, State.Event == Event {
    /// Makes a store of a state that defines its events and its reducer.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - exhaustivity: What it checks.
    ///   - onFailure: Fails the test.
    ///   - fileID: The file at which a failure at the end is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure at the end is shown.
    ///   - column: The column at which a failure at the end is shown.
    public convenience init(
        initialState: State,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [],
        exhaustivity: TestStoreExhaustivity = .all,
        onFailure: @escaping FailureReport = reportTestFailure,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        self.init(
            initialState: initialState, reducer: Reducer(),
            middleware: middleware, feedback: feedback,
            exhaustivity: exhaustivity, onFailure: onFailure, fileID: fileID,
            filePath: filePath, line: line, column: column)
    }
}
