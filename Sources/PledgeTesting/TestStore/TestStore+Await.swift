public import Pledge

extension TestStore {
    /// Takes an event of an effect as soon as it comes, and expects a change of the state.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - limit: How long to wait for it before the test fails.
    ///   - scheduler: Whose time the limit is in.
    ///   - change: Makes the expected state from the one before, as in ``send(_:_:fileID:line:)``.
    ///   - fileID: Where to show what is wrong.
    ///   - line: Where to show what is wrong.
    public func receive(
        _ event: Event,
        within limit: Duration = .seconds(60), on scheduler: some Scheduler = .live,
        _ change: ((inout State) -> Void)? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) async where Event: Equatable {
        let expectation = TestExpectation(event)
        await arrival(of: expectation, within: limit, on: scheduler)
        take(expectation, (fileID, line)) { compare($0, change, $1, (fileID, line)) }
    }

    /// Takes an event of an effect as soon as it comes, and expects a state.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - state: The whole state after it, whatever ``exhaustivity`` says.
    ///   - limit: How long to wait for it before the test fails.
    ///   - scheduler: Whose time the limit is in.
    ///   - fileID: Where to show what is wrong.
    ///   - line: Where to show what is wrong.
    public func receive(
        _ event: Event, expecting state: State,
        within limit: Duration = .seconds(60), on scheduler: some Scheduler = .live,
        fileID: StaticString = #fileID, line: UInt = #line
    ) async where Event: Equatable {
        let expectation = TestExpectation(event)
        await arrival(of: expectation, within: limit, on: scheduler)
        take(expectation, (fileID, line)) { compare($0, with: state, $1, (fileID, line)) }
    }

    /// Takes an event of an effect as soon as it comes, where events cannot be compared.
    ///
    /// - Parameters:
    ///   - matches: Whether it is the event.
    ///   - limit: How long to wait for it before the test fails.
    ///   - scheduler: Whose time the limit is in.
    ///   - change: Makes the expected state from the one before, as in ``send(_:_:fileID:line:)``.
    ///   - fileID: Where to show what is wrong.
    ///   - line: Where to show what is wrong.
    public func receive(
        where matches: @escaping (Event) -> Bool,
        within limit: Duration = .seconds(60), on scheduler: some Scheduler = .live,
        _ change: ((inout State) -> Void)? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) async {
        let expectation = TestExpectation(where: matches)
        await arrival(of: expectation, within: limit, on: scheduler)
        take(expectation, (fileID, line)) { compare($0, change, $1, (fileID, line)) }
    }

    /// Waits until `take` would find an event, or the time is up.
    private func arrival(
        of expectation: TestExpectation<Event>, within limit: Duration, on scheduler: some Scheduler
    ) async {
        let timeIsUp = Promise<Void>()
        let timer = scheduler.schedule(after: limit) { timeIsUp.resolve(with: ()) }
        defer { timer.cancel() }
        while timeIsUp.result == nil, !Task.isCancelled {
            let isInOrder = exhaustivity.contains(.events)
            let next: Future<Void>? = journal.withLock { journal in
                let known = journal.unreceived
                if isInOrder
                    ? !known.isEmpty : known.contains(where: { expectation.matches($0.event) })
                {
                    return nil
                }
                return journal.arrival(after: journal.count)
            }
            guard let next else { return }
            _ = await Future.race([next, timeIsUp]).resultWhenSettled
        }
    }
}
