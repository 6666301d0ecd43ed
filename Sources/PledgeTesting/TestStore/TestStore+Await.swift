public import Pledge

extension TestStore {
    /// Takes an event of an effect when it arrives, and expects a change of the state.
    ///
    /// It fails at once if no event can arrive: see
    /// ``receive(_:expecting:within:on:fileID:filePath:line:column:)``.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - limit: How long to wait for it before the test fails.
    ///   - scheduler: The clock of the limit.
    ///   - change: Makes the expected state from the state before, as in
    ///     ``send(_:_:fileID:filePath:line:column:)``.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func receive(
        _ event: Event,
        within limit: Duration = .seconds(60), on scheduler: some Scheduler = .live,
        _ change: ((inout State) -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async where Event: Equatable {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        let expectation = TestExpectation(event)
        await arrival(of: expectation, within: limit, on: scheduler)
        take(expectation, at: place) { compare($0, change, $1, at: place) }
    }

    /// Takes an event of an effect when it arrives, and expects a state.
    ///
    /// It fails at once if no effect is under way, in real and in virtual time, and as soon as the
    /// last one has ended without the event. Middleware, and code that uses ``store``, may dispatch at any
    /// time. With either of them, it waits until the limit.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - state: The whole state after it, independent of ``exhaustivity``.
    ///   - limit: How long to wait for it before the test fails.
    ///   - scheduler: The clock of the limit.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func receive(
        _ event: Event, expecting state: State,
        within limit: Duration = .seconds(60), on scheduler: some Scheduler = .live,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async where Event: Equatable {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        let expectation = TestExpectation(event)
        await arrival(of: expectation, within: limit, on: scheduler)
        take(expectation, at: place) { compare($0, with: state, $1, at: place) }
    }

    /// Takes an event of an effect when it arrives, if events cannot be compared.
    ///
    /// It fails at once if no event can arrive: see
    /// ``receive(_:expecting:within:on:fileID:filePath:line:column:)``.
    ///
    /// - Parameters:
    ///   - matches: Whether it is the event.
    ///   - limit: How long to wait for it before the test fails.
    ///   - scheduler: The clock of the limit.
    ///   - change: Makes the expected state from the state before, as in
    ///     ``send(_:_:fileID:filePath:line:column:)``.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func receive(
        where matches: @escaping (Event) -> Bool,
        within limit: Duration = .seconds(60), on scheduler: some Scheduler = .live,
        _ change: ((inout State) -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        let expectation = TestExpectation(where: matches)
        await arrival(of: expectation, within: limit, on: scheduler)
        take(expectation, at: place) { compare($0, change, $1, at: place) }
    }
}
