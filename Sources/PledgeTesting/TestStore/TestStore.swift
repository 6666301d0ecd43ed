public import Pledge

/// A store whose every step a test expects: what it sends, what comes of it, and nothing else.
///
/// ```swift
/// let store = TestStore(initialState: Counter(), effects: counter)
/// store.send(.increase) { $0.count = 1 }
/// store.send(.askForFact) { $0.fact = .loading() }
/// try network.next().answer(with: .text("1 is odd"))
/// store.receive(.factLoaded("1 is odd")) { $0.fact = .loaded("1 is odd") }
/// store.finish()
/// ```
///
/// It fails the test where the state is not as expected after an event, where an event of an effect is
/// not received before the next is sent, and where at the end events are not received or
/// effects have not ended. The end is ``finish(fileID:filePath:line:column:)``, or else the release of the last
/// reference. ``exhaustivity`` says how much of this it insists on.
///
/// It runs the effects on the clocks and networks that they are given, such as a `ManualScheduler`
/// and a ``MockNetwork``, and may be used from any thread, by one at a time.
public final class TestStore<State: Sendable & Equatable, Event: Sendable>: Sendable {
    /// How it fails a test: with what is wrong, and where to show it.
    public typealias FailureReport = @Sendable (String, TestSourceLocation) -> Void

    private struct Settings: Sendable {
        var exhaustivity: TestStoreExhaustivity
        var isFinished = false
        var isGivenOut = false
    }

    /// The store itself, for what observes it.
    ///
    /// Events that others dispatch to it are to be received by the test, like those of effects. Once
    /// it was asked for, an awaited `receive` cannot know that no event will come, and waits for its
    /// limit.
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

    /// Makes a store whose events have effects besides.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - effects: Changes the state, and returns what there is to do besides, as `Store` takes it.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live while the state asks for them.
    ///   - exhaustivity: What it insists on.
    ///   - onFailure: Fails the test. By default with the running test's framework: see
    ///     ``reportTestFailure(_:at:)``.
    ///   - fileID: Where to show what is wrong at the end.
    ///   - filePath: Where to show what is wrong at the end.
    ///   - line: Where to show what is wrong at the end.
    ///   - column: Where to show what is wrong at the end.
    public init(
        initialState: State,
        effects: @escaping @Sendable (inout State, Event) -> Effect<Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
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
            effects: { state, event in
                let old = state
                let effect = effects(&state, event)
                Self.enter(.init(event: event, old: old, new: state), in: journal)
                return effect
            },
            // A store without middleware stays one: its effects end in the step of their event.
            middleware: middleware.isEmpty
                ? [] : [Self.notingDepth(in: journal)] + middleware,
            feedback: feedback,
            onFailure: { error in journal.withLock { $0.enter(error) } })
    }

    deinit {
        // What came after `finish` was not received either.
        if settings.withLock(\.isFinished) {
            passOver(before: "the end", at: origin)
        } else {
            checkEnd(at: origin)
        }
    }

    /// The state now.
    public var state: State { inner.state }

    /// What it insists on: everything, unless said otherwise.
    public var exhaustivity: TestStoreExhaustivity {
        get { settings.withLock(\.exhaustivity) }
        set { settings.withLock { $0.exhaustivity = newValue } }
    }

    /// How many effects are under way, or wait for their turn or their time.
    var effectsUnderWay: Int { inner.effectsUnderWay }

    /// Whether an event can come that is not of an effect: of a middleware, or of code that has the
    /// store.
    var mayOthersDispatch: Bool { hasMiddleware || settings.withLock(\.isGivenOut) }

    /// Says that the test is at its end, and checks that nothing is left.
    ///
    /// It fails where an event of an effect was not received, where an effect has not ended, and where
    /// one has failed without an event.
    ///
    /// - Parameters:
    ///   - fileID: Where to show it.
    ///   - filePath: Where to show it.
    ///   - line: Where to show it.
    ///   - column: Where to show it.
    public func finish(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        settings.withLock { $0.isFinished = true }
        checkEnd(
            at: TestSourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Says that the test goes on.
    func goOn() { settings.withLock { $0.isFinished = false } }

    func fail(_ message: String, at place: TestSourceLocation) {
        onFailure(message, place)
    }

    /// Takes what has come and was not received, and fails where it should have been.
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
