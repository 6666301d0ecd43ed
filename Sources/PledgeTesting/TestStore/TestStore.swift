import Pledge
public import PledgeStores

/// A store for tests that state every step: the events they send, the events of effects, and no others.
///
/// ```swift
/// let store = TestStore(initialState: Counter(), reducer: counter)
/// store.send(.increase) { $0.count = 1 }
/// store.send(.askForFact) { $0.fact = .loading() }
/// try network.next().answer(with: .text("1 is odd"))
/// store.receive(.factLoaded("1 is odd")) { $0.fact = .loaded("1 is odd") }
/// store.finish()
/// ```
///
/// The store fails the test in these cases:
///
/// - After an event, the state isn't as expected.
/// - The test sends the next event before it has received an effect's event.
/// - At the end, events are left to receive, or effects have not ended.
///
/// The end is ``finish(fileID:filePath:line:column:)``, or the release of the last reference. ``exhaustivity`` chooses
/// which of these cases the store checks.
///
/// The store doesn't control the clocks and networks of its effects. Give the effects your own, such as a
/// `ManualScheduler` and a ``MockNetwork``. You can use the store from any thread, but only from one at a time.
public final class TestStore<State: Sendable & Equatable, Event: Sendable>: Sendable {
    /// A function that fails a test with a message, at a place in its source.
    public typealias FailureReport = @Sendable (String, TestSourceLocation) -> Void

    private struct Settings: Sendable {
        var exhaustivity: TestStoreExhaustivity
        var isFinished = false
        var isGivenOut = false
    }

    /// The store under test, for code that observes it.
    ///
    /// If that code dispatches events, the test must receive them, just as it must receive the events of effects. Once
    /// you have used this property, an awaited `receive` can't know whether another event will arrive, so it waits
    /// until its limit.
    public var store: Store<State, Event> {
        settings.withLock { $0.isGivenOut = true }
        return inner
    }

    let inner: Store<State, Event>
    let journal: Locked<TestJournal<State, Event>>
    private let settings: Locked<Settings>
    private let onFailure: FailureReport
    private let origin: TestSourceLocation
    private let hasMiddleware: Bool

    /// Creates a store from a state and a reducer.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - reducer: Makes the next state, and its effects if it has any.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - exhaustivity: The checks to make.
    ///   - onFailure: Fails the test. By default the framework of the running test does it; see
    ///     ``reportTestFailure(_:at:)``.
    ///   - fileID: The file at which a failure at the end is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure at the end is shown.
    ///   - column: The column at which a failure at the end is shown.
    public init(
        initialState: State,
        reducer: Reducer<State, Event>,
        middleware: [StoreMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [],
        exhaustivity: TestStoreExhaustivity = .all,
        onFailure: @escaping FailureReport = reportTestFailure,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        let journal = Locked(TestJournal<State, Event>())
        self.journal = journal
        settings = Locked(Settings(exhaustivity: exhaustivity))
        self.onFailure = onFailure
        origin = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        hasMiddleware = !middleware.isEmpty
        inner = Store(
            initialState: initialState,
            reducer: Reducer(effects: { state, event in
                let old = state
                let effect = reducer.reduce(&state, event)
                Self.enterStep(.init(event: event, old: old, new: state), in: journal)
                return effect
            }),
            // Without middleware, an effect's event and its end are one step; with middleware, two. So none is added
            // unless the test has some.
            middleware: middleware.isEmpty
                ? [] : [Self.notingDepth(in: journal)] + middleware,
            feedback: feedback,
            onFailure: { error in journal.withLock { $0.enterError(error) } })
    }

    deinit {
        // Events that arrived after `finish` count as not received, too.
        if settings.withLock(\.isFinished) {
            passOver(before: "the end", at: origin)
        } else {
            checkEnd(at: origin)
        }
    }

    /// The current state.
    public var state: State { inner.state }

    /// The checks that the store makes; by default all.
    public var exhaustivity: TestStoreExhaustivity {
        get { settings.withLock(\.exhaustivity) }
        set { settings.withLock { $0.exhaustivity = newValue } }
    }

    /// How many effects run, or wait for another effect or a delay.
    var effectsUnderWay: Int { inner.effectsUnderWay }

    /// True if events can come from a middleware, or from code that uses the store.
    var mayOthersDispatch: Bool { hasMiddleware || settings.withLock(\.isGivenOut) }

    /// Ends the test of the store, and checks that nothing is left to happen.
    ///
    /// It fails the test if an event of an effect was not received, if an effect has not ended, or if an effect failed
    /// and sent no event about it.
    ///
    /// - Parameters:
    ///   - fileID: The file at which a failure is shown.
    ///   - filePath: The path of that file.
    ///   - line: The line at which a failure is shown.
    ///   - column: The column at which a failure is shown.
    public func finish(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        settings.withLock { $0.isFinished = true }
        checkEnd(
            at: TestSourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Records that the test goes on, even after `finish`.
    func goOn() { settings.withLock { $0.isFinished = false } }

    func fail(_ message: String, at place: TestSourceLocation) {
        onFailure(message, place)
    }

    /// Skips the events that the test hasn't received, and fails the test if it should have.
    func passOver(before what: String, at place: TestSourceLocation) {
        let (steps, errors) = journal.withLock { $0.takeAll() }
        if exhaustivity.contains(.events), !steps.isEmpty {
            fail(TestText.unreceived(steps.map(\.event), before: what), at: place)
        }
        guard exhaustivity.contains(.effects) else { return }
        for error in errors { fail(TestText.failed(error), at: place) }
    }

    private func checkEnd(at place: TestSourceLocation) {
        passOver(before: "the end", at: place)
        let count = effectsUnderWay
        if exhaustivity.contains(.effects), count > 0 {
            fail(TestText.unfinished(count), at: place)
        }
    }
}

/// The checks of a ``TestStore``.
///
/// ```swift
/// store.exhaustivity = .all.subtracting(.events)
/// ```
public struct TestStoreExhaustivity: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The test states every change of the state.
    ///
    /// Without this check, `send` and `receive` apply their closure to the new state, and fail the test if the closure
    /// changes it. So a closure that sets some properties checks only those.
    public static let state = TestStoreExhaustivity(rawValue: 1)

    /// The test receives every event of an effect, in order.
    ///
    /// Without this check, `receive` skips the events before the expected one, and events that aren't received are not
    /// a failure.
    public static let events = TestStoreExhaustivity(rawValue: 2)

    /// Every effect has ended, and each failed effect has sent an event about it.
    ///
    /// Without this check, effects may still run at the end. They are cancelled when the store is released.
    public static let effects = TestStoreExhaustivity(rawValue: 4)

    /// All checks.
    public static let all: TestStoreExhaustivity = [.state, .events, .effects]

    /// No checks beyond what the test states.
    public static let off: TestStoreExhaustivity = []
}

extension TestStore {
    /// Dispatches an event, and expects a change of the state.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - change: Makes the expected state from the state before. Without a closure, the state must not change. If
    ///     ``exhaustivity`` does not contain ``TestStoreExhaustivity/state``, the closure gets the new state, and must
    ///     not change it.
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
    ///   - state: The whole state after the event, whatever the ``exhaustivity``.
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

extension TestStore {
    /// Dispatches an event for the test, and returns its step.
    func dispatch(_ event: Event) -> TestJournal<State, Event>.ReducedEvent {
        goOn()
        journal.withLock { $0.sending = .init(on: .current) }
        inner.dispatch(event)
        let (sent, waiting) = journal.withLock { $0.endSending(of: event) }
        for promise in waiting { promise.resolve(with: ()) }
        // A middleware has stopped the event, so the state is unchanged.
        return sent ?? .init(event: event, old: inner.state, new: inner.state)
    }

    static func enterStep(
        _ step: TestJournal<State, Event>.ReducedEvent,
        in journal: Locked<TestJournal<State, Event>>
    ) {
        // The waiters resume on another thread, because this is inside the reducer.
        let waiting = journal.withLock { $0.enterStep(step, on: .current) }
        for promise in waiting { Task { promise.resolve(with: ()) } }
    }

    /// The outermost middleware, which records how deeply dispatches are nested while the test sends.
    static func notingDepth(
        in journal: Locked<TestJournal<State, Event>>
    ) -> StoreMiddleware<State, Event> {
        StoreMiddleware { _ in
            { next in
                { event in
                    let thread = TestThread.current
                    journal.withLock { $0.sending?.enterChain(on: thread) }
                    next(event)
                    journal.withLock { $0.sending?.leaveChain(on: thread) }
                }
            }
        }
    }
}
