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
/// effects have not ended. The end is ``finish(fileID:line:)``, or else the release of the last
/// reference. ``exhaustivity`` says how much of this it insists on.
///
/// It runs the effects on the clocks and networks that they are given, such as a `ManualScheduler`
/// and a ``MockNetwork``, and may be used from any thread, by one at a time.
public final class TestStore<State: Sendable & Equatable, Event: Sendable>: Sendable {
    /// How it fails a test: with what is wrong, the file and the line.
    public typealias FailureReport = @Sendable (String, StaticString, UInt) -> Void

    private struct Settings: Sendable {
        var exhaustivity: TestStoreExhaustivity
        var isFinished = false
    }

    /// The store itself, for what observes it.
    ///
    /// Events that others dispatch to it are to be received by the test, like those of effects.
    public let store: Store<State, Event>

    let journal: Locked<TestJournal<State, Event>>
    private let settings: Locked<Settings>
    private let onFailure: FailureReport
    private let origin: (fileID: StaticString, line: UInt)

    /// Makes a store whose events have effects besides.
    ///
    /// - Parameters:
    ///   - initialState: The state at the beginning.
    ///   - effects: Changes the state, and returns what there is to do besides, as `Store` takes it.
    ///   - middleware: Layers around dispatch, the outermost first.
    ///   - feedback: Effects that live while the state asks for them.
    ///   - exhaustivity: What it insists on.
    ///   - onFailure: Fails the test. By default with the running test's framework: see
    ///     ``reportTestFailure(_:_:_:)``.
    ///   - fileID: Where to show what is wrong at the end.
    ///   - line: Where to show what is wrong at the end.
    public init(
        initialState: State,
        effects: @escaping @Sendable (inout State, Event) -> Effect<Event>,
        middleware: [DispatchMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [],
        exhaustivity: TestStoreExhaustivity = .all,
        onFailure: @escaping FailureReport = reportTestFailure,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        let journal = Locked(TestJournal<State, Event>())
        self.journal = journal
        settings = Locked(Settings(exhaustivity: exhaustivity))
        self.onFailure = onFailure
        origin = (fileID, line)
        store = Store(
            initialState: initialState,
            effects: { state, event in
                let old = state
                let effect = effects(&state, event)
                Self.enter(.init(event: event, old: old, new: state), in: journal)
                return effect
            },
            middleware: middleware,
            feedback: feedback,
            onFailure: { error in journal.withLock { $0.enter(error) } })
    }

    deinit {
        let end = (origin.fileID, origin.line)
        // What came after `finish` was not received either.
        if settings.withLock(\.isFinished) {
            passOver(before: "the end", end)
        } else {
            checkEnd(at: end)
        }
    }

    /// The state now.
    public var state: State { store.state }

    /// What it insists on: everything, unless said otherwise.
    public var exhaustivity: TestStoreExhaustivity {
        get { settings.withLock(\.exhaustivity) }
        set { settings.withLock { $0.exhaustivity = newValue } }
    }

    /// Says that the test is at its end, and checks that nothing is left.
    ///
    /// It fails where an event of an effect was not received, where an effect has not ended, and where
    /// one has failed without an event.
    ///
    /// - Parameters:
    ///   - fileID: Where to show it.
    ///   - line: Where to show it.
    public func finish(fileID: StaticString = #fileID, line: UInt = #line) {
        settings.withLock { $0.isFinished = true }
        checkEnd(at: (fileID, line))
    }

    func fail(_ message: String, _ place: (fileID: StaticString, line: UInt)) {
        onFailure(message, place.fileID, place.line)
    }

    /// Dispatches as the test, and returns the step that was made of it.
    func dispatch(_ event: Event) -> TestJournal<State, Event>.Step {
        settings.withLock { $0.isFinished = false }
        let sending = TestSending(by: journal)
        TestSending.$current.withValue(sending) { store.dispatch(event: event) }
        sending.end()
        // A middleware may have kept it back.
        return journal.withLock { $0.takeSent() }
            ?? .init(event: event, old: store.state, new: store.state)
    }

    /// Takes what has come and was not received, and fails where it should have been.
    func passOver(before what: String, _ place: (fileID: StaticString, line: UInt)) {
        let (steps, errors) = journal.withLock { $0.takeAll() }
        if exhaustivity.contains(.events), !steps.isEmpty {
            fail(TestText.unreceived(steps.map(\.event), before: what), place)
        }
        guard exhaustivity.contains(.effects) else { return }
        for error in errors { fail(TestText.failed(error), place) }
    }

    private func checkEnd(at place: (fileID: StaticString, line: UInt)) {
        passOver(before: "the end", place)
        let count = store.effectsUnderWay
        if exhaustivity.contains(.effects), count > 0 { fail(TestText.unfinished(count), place) }
    }

    private static func enter(
        _ step: TestJournal<State, Event>.Step, in journal: Locked<TestJournal<State, Event>>
    ) {
        if TestSending.take(for: journal) {
            journal.withLock { $0.enterSent(step) }
        } else {
            // Whoever waits goes on elsewhere: this is inside the reducer.
            let waiting = journal.withLock { $0.enterReceived(step) }
            for promise in waiting { Task { promise.resolve(with: ()) } }
        }
    }
}
