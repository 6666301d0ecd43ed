extension TestStore {
    /// Dispatches an event, and expects a change of the state.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - change: Makes the expected state from the state before. Without it, the state must not change. If
    ///     ``exhaustivity`` does not contain ``TestStoreExhaustivity/state``, it is applied to the new state,
    ///     and must not change it.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func send(
        _ event: Event,
        _ change: ((inout State) -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        let what = "send(\(TestText.short(event)))"
        passOver(before: what, at: place)
        compare(dispatch(event), change, what, at: place)
    }

    /// Dispatches an event, and expects a state.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - state: The whole state after it, independent of ``exhaustivity``.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func send(
        _ event: Event, expecting state: State,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        let what = "send(\(TestText.short(event)))"
        passOver(before: what, at: place)
        compare(dispatch(event), with: state, what, at: place)
    }

    func compare(
        _ step: TestJournal<State, Event>.ReducedEvent, _ change: ((inout State) -> Void)?,
        _ what: String, at place: TestSourceLocation
    ) {
        let isExhaustive = exhaustivity.contains(.state)
        guard isExhaustive || change != nil else { return }
        var expected = isExhaustive ? step.old : step.new
        change?(&expected)
        if change == nil, expected != step.new {
            fail(TestText.unexpectedChange(what, from: step.old, to: step.new), at: place)
        } else {
            compare(step, with: expected, what, at: place)
        }
    }

    func compare(
        _ step: TestJournal<State, Event>.ReducedEvent, with expected: State,
        _ what: String, at place: TestSourceLocation
    ) {
        guard expected != step.new else { return }
        fail(TestText.wrongState(what, expected: expected, is: step.new), at: place)
    }
}
