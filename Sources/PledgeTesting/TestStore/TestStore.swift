public import Pledge

/// A store whose every step a test states: the events that it sends, the events of effects, and nothing else.
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
/// It fails the test if the state is not as expected after an event, if an event of an effect is not received
/// before the next is sent, and if at the end events are not received or effects have not ended. The end is
/// ``finish(fileID:filePath:line:column:)``, or else the release of the last reference. ``exhaustivity``
/// chooses which of these it checks.
///
/// The effects use their own clocks and networks, such as a `ManualScheduler` and a ``MockNetwork``. It may
/// be used from any thread, by one at a time.
public final class TestStore<State: Sendable & Equatable, Event: Sendable>: Sendable {
    /// A function that fails a test: it takes the failure and the place.
    public typealias FailureReport = @Sendable (String, TestSourceLocation) -> Void

    private struct Settings: Sendable {
        var exhaustivity: TestStoreExhaustivity
        var isFinished = false
        var isGivenOut = false
    }

    /// The store itself, for its observers.
    ///
    /// The test has to receive events that other code dispatches to it, like those of effects. After the
    /// first use of this property, an awaited `receive` cannot know that no event will arrive, and waits
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

    /// Makes a store of a state and a reducer.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - reducer: Makes the next state, and effects if it has any.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live as long as a query of the state has a value.
    ///   - exhaustivity: What it checks.
    ///   - onFailure: Fails the test. By default by the framework of the running test: see
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
                Self.enter(.init(event: event, old: old, new: state), in: journal)
                return effect
            }),
            // A store without middleware gets none: its effects end in the step of their event.
            middleware: middleware.isEmpty
                ? [] : [Self.notingDepth(in: journal)] + middleware,
            feedback: feedback,
            onFailure: { error in journal.withLock { $0.enter(error) } })
    }

    deinit {
        // Events that came after `finish` were not received either.
        if settings.withLock(\.isFinished) {
            passOver(before: "the end", at: origin)
        } else {
            checkEnd(at: origin)
        }
    }

    /// The current state.
    public var state: State { inner.state }

    /// What it checks: by default everything.
    public var exhaustivity: TestStoreExhaustivity {
        get { settings.withLock(\.exhaustivity) }
        set { settings.withLock { $0.exhaustivity = newValue } }
    }

    /// How many effects are under way, or wait for another effect or for a delay.
    var effectsUnderWay: Int { inner.effectsUnderWay }

    /// Whether events can come from a middleware, or from code that uses the store.
    var mayOthersDispatch: Bool { hasMiddleware || settings.withLock(\.isGivenOut) }

    /// Ends the test of the store: checks that nothing is left.
    ///
    /// It fails if an event of an effect was not received, if an effect has not ended, and if one has failed
    /// without an event.
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

    /// Notes that the test continues.
    func goOn() { settings.withLock { $0.isFinished = false } }

    func fail(_ message: String, at place: TestSourceLocation) {
        onFailure(message, place)
    }

    /// Takes the events that were not received, and fails if they should have been.
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
