public import Pledge

extension TestStore {
    /// Makes a store of a state and a function that makes the next.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - reduce: Makes the next state from the state and an event.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live while the state asks for them.
    ///   - exhaustivity: What it insists on.
    ///   - onFailure: Fails the test.
    ///   - fileID: Where to show what is wrong at the end.
    ///   - filePath: Where to show what is wrong at the end.
    ///   - line: Where to show what is wrong at the end.
    ///   - column: Where to show what is wrong at the end.
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
    ///   - feedback: Effects that live while the state asks for them.
    ///   - exhaustivity: What it insists on.
    ///   - onFailure: Fails the test.
    ///   - fileID: Where to show what is wrong at the end.
    ///   - filePath: Where to show what is wrong at the end.
    ///   - line: Where to show what is wrong at the end.
    ///   - column: Where to show what is wrong at the end.
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
    ///   - feedback: Effects that live while the state asks for them.
    ///   - exhaustivity: What it insists on.
    ///   - onFailure: Fails the test.
    ///   - fileID: Where to show what is wrong at the end.
    ///   - filePath: Where to show what is wrong at the end.
    ///   - line: Where to show what is wrong at the end.
    ///   - column: Where to show what is wrong at the end.
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
    /// Makes a store of a state that knows its events.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live while the state asks for them.
    ///   - exhaustivity: What it insists on.
    ///   - onFailure: Fails the test.
    ///   - fileID: Where to show what is wrong at the end.
    ///   - filePath: Where to show what is wrong at the end.
    ///   - line: Where to show what is wrong at the end.
    ///   - column: Where to show what is wrong at the end.
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
