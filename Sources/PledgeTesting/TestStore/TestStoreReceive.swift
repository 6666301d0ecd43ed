public import Pledge
import PledgeStores

extension TestStore {
    /// Takes an event that an effect has dispatched, and expects a change of the state.
    ///
    /// - Parameters:
    ///   - event: The event. It must have arrived already. In an async test, use `await store.receive`, which waits for
    ///     the event.
    ///   - change: Makes the expected state from the state before, as in ``send(_:_:fileID:filePath:line:column:)``.
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
        takeEvent(TestExpectation(event), at: place) { compare($0, change, $1, at: place) }
    }

    /// Takes an event that an effect has dispatched, and expects a state.
    ///
    /// - Parameters:
    ///   - event: The event, which must have arrived already.
    ///   - state: The whole state after the event, whatever the ``exhaustivity``.
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
        takeEvent(TestExpectation(event), at: place) { compare($0, with: state, $1, at: place) }
    }

    /// Takes an event that an effect has dispatched, and tests it with a closure.
    ///
    /// Use this for events that can't be compared.
    ///
    /// ```swift
    /// store.receive(where: { if case .loaded(.failure) = $0 { true } else { false } }) {
    ///     $0.hasFailed = true
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - matches: Returns whether an event is the expected one. That event must have arrived already.
    ///   - change: Makes the expected state from the state before, as in ``send(_:_:fileID:filePath:line:column:)``.
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
        takeEvent(TestExpectation(where: matches), at: place) { compare($0, change, $1, at: place) }
    }

    /// Takes the expected event's step, or fails the test if it hasn't arrived.
    func takeEvent(
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

extension TestStore {
    /// Takes an event of an effect when it arrives, and expects a change of the state.
    ///
    /// The test fails at once if no event can arrive; see
    /// ``receive(_:expecting:within:on:fileID:filePath:line:column:)``.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - limit: How long to wait before the test fails.
    ///   - scheduler: The clock of the limit. In virtual time, real time means the test's own clock.
    ///   - change: Makes the expected state from the state before, as in ``send(_:_:fileID:filePath:line:column:)``.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func receive(
        _ event: Event,
        within limit: Duration = .seconds(60), on scheduler: some FutureScheduler = .live,
        _ change: ((inout State) -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async where Event: Equatable {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        let expectation = TestExpectation(event)
        await arrival(of: expectation, within: limit, on: scheduler)
        takeEvent(expectation, at: place) { compare($0, change, $1, at: place) }
    }

    /// Takes an event of an effect when it arrives, and expects a state.
    ///
    /// The test fails at once if no effect is running, in real or virtual time. It also fails as soon as the last
    /// effect has ended without the event. If the store has middleware, or other code uses ``store``, events may arrive
    /// at any time, so this method waits until the limit.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - state: The whole state after the event, whatever the ``exhaustivity``.
    ///   - limit: How long to wait before the test fails.
    ///   - scheduler: The clock of the limit. In virtual time, real time means the test's own clock.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func receive(
        _ event: Event, expecting state: State,
        within limit: Duration = .seconds(60), on scheduler: some FutureScheduler = .live,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async where Event: Equatable {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        let expectation = TestExpectation(event)
        await arrival(of: expectation, within: limit, on: scheduler)
        takeEvent(expectation, at: place) { compare($0, with: state, $1, at: place) }
    }

    /// Takes an event of an effect when it arrives, and tests it with a closure.
    ///
    /// Use this for events that can't be compared.
    ///
    /// The test fails at once if no event can arrive; see
    /// ``receive(_:expecting:within:on:fileID:filePath:line:column:)``.
    ///
    /// - Parameters:
    ///   - matches: Returns whether an event is the expected one.
    ///   - limit: How long to wait before the test fails.
    ///   - scheduler: The clock of the limit. In virtual time, real time means the test's own clock.
    ///   - change: Makes the expected state from the state before, as in ``send(_:_:fileID:filePath:line:column:)``.
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func receive(
        where matches: @escaping (Event) -> Bool,
        within limit: Duration = .seconds(60), on scheduler: some FutureScheduler = .live,
        _ change: ((inout State) -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        let expectation = TestExpectation(where: matches)
        await arrival(of: expectation, within: limit, on: scheduler)
        takeEvent(expectation, at: place) { compare($0, change, $1, at: place) }
    }
}

struct TestExpectation<Event> {
    /// In words.
    let what: String
    let matches: (Event) -> Bool
    /// The message for an event that isn't the expected one.
    let mismatch: (Event) -> String

    init(_ expected: Event) where Event: Equatable {
        let what = "receive(\(TestText.short(expected)))"
        self.what = what
        matches = { $0 == expected }
        mismatch = { TestText.wrongEvent(what, expected: expected, is: $0) }
    }

    init(where matches: @escaping (Event) -> Bool) {
        what = "receive(where:)"
        self.matches = matches
        mismatch = { event in
            "receive(where:): the event that came does not match: \(TestText.short(event))"
        }
    }
}

extension TestStore {
    /// Waits until ``takeEvent(_:at:_:)`` would find an event, none can arrive any more, or the limit is reached.
    func arrival(
        of expectation: TestExpectation<Event>, within limit: Duration,
        on scheduler: some FutureScheduler
    ) async {
        let isTimeUp = Locked(false)
        let timer = VirtualScope.clock(insteadOf: scheduler).schedule(after: limit) { [journal] in
            isTimeUp.withLock { $0 = true }
            for promise in journal.withLock({ $0.takeWaiting() }) { promise.resolve(with: ()) }
        }
        defer { timer.cancel() }
        while !Task.isCancelled {
            let wakeUp = InternalPromise<Void>()
            // An effect adds its event to the journal before it ends. So the effects are counted first and the journal
            // is read second: if none runs, it has every event.
            let canCome = mayOthersDispatch || effectsUnderWay > 0
            let isOver = journal.withLock { journal in
                if !canCome || isTimeUp.withLock({ $0 }) || has(expectation, journal) {
                    return true
                }
                journal.wait(wakeUp)
                return false
            }
            if isOver { return }
            await sleep(until: wakeUp)
        }
    }

    /// Waits until a promise settles, but at most 10 ms while effects run.
    ///
    /// An effect may end without an event, so waiting for events isn't enough. A test that passes doesn't wait these 10
    /// ms; in virtual time, the clock moves instead.
    private func sleep(until wakeUp: InternalPromise<Void>) async {
        let look =
            mayOthersDispatch || VirtualScope.current != nil
            ? nil
            : LiveScheduler.live.schedule(after: .milliseconds(10)) { wakeUp.resolve(with: ()) }
        _ = await wakeUp.resultWhenSettled
        look?.cancel()
        journal.withLock { $0.stopWaiting(wakeUp) }
    }

    /// Returns whether ``takeEvent(_:at:_:)`` would find an event.
    private func has(
        _ expectation: TestExpectation<Event>, _ journal: TestJournal<State, Event>
    ) -> Bool {
        exhaustivity.contains(.events)
            ? !journal.unreceived.isEmpty
            : journal.unreceived.contains { expectation.matches($0.event) }
    }
}
