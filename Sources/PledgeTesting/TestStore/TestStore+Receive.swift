internal import Pledge

extension TestStore {
    /// Takes an event that an effect has dispatched, and expects a change of the state.
    ///
    /// - Parameters:
    ///   - event: The event. It must have arrived already; in an async test the method of the same name waits
    ///     for it.
    ///   - change: Makes the expected state from the state before, as in
    ///     ``send(_:_:fileID:filePath:line:column:)``.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func receive(
        _ event: Event,
        _ change: ((inout State) -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) where Event: Equatable {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        take(TestExpectation(event), at: place) { compare($0, change, $1, at: place) }
    }

    /// Takes an event that an effect has dispatched, and expects a state.
    ///
    /// - Parameters:
    ///   - event: The event, which must have arrived already.
    ///   - state: The whole state after it, independent of ``exhaustivity``.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func receive(
        _ event: Event, expecting state: State,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) where Event: Equatable {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        take(TestExpectation(event), at: place) { compare($0, with: state, $1, at: place) }
    }

    /// Takes an event that an effect has dispatched, if events cannot be compared.
    ///
    /// ```swift
    /// store.receive(where: { if case .loaded(.failure) = $0 { true } else { false } }) {
    ///     $0.hasFailed = true
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - matches: Whether it is the event, which must have arrived already.
    ///   - change: Makes the expected state from the state before, as in
    ///     ``send(_:_:fileID:filePath:line:column:)``.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func receive(
        where matches: @escaping (Event) -> Bool,
        _ change: ((inout State) -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        take(TestExpectation(where: matches), at: place) { compare($0, change, $1, at: place) }
    }

    /// Takes the step of an event, if it has arrived.
    func take(
        _ expectation: TestExpectation<Event>, at place: TestSourceLocation,
        _ compare: (TestJournal<State, Event>.ReducedEvent, String) -> Void
    ) {
        let isInOrder = exhaustivity.contains(.events)
        let step = journal.withLock { journal in
            isInOrder ? journal.takeFirst() : journal.takeFirst(where: expectation.matches)
        }
        guard let step else {
            let events = journal.withLock { $0.unreceived.map(\.event) }
            let count = effectsUnderWay
            return fail(TestText.nothingCame(expectation.what, events, effects: count), at: place)
        }
        guard expectation.matches(step.event) else {
            return fail(expectation.mismatch(step.event), at: place)
        }
        compare(step, expectation.what)
    }
}
