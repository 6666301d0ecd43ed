internal import PledgeFutures

/// A store with a history: you can go back and forth between its states, and replay events.
///
/// ```swift
/// let recorder = StoreRecorder(initialState: 0, reducer: Reducer { (state: Int, event: Int) in state + event })
/// recorder.dispatch(3)
/// recorder.dispatch(4)
/// recorder.undo()  // state is 3
/// recorder.redo()  // state is 7
/// recorder.travel(to: 0)  // state is 0
/// ```
///
/// Going back is a change like any other: it goes through the store's queue, and each observer gets the old state
/// and the new one. An event that you dispatch after going back replaces the undone events. Effects are not undone, and
/// going forward doesn't begin them again. If an effect's event arrives while the recorder has gone back, it is
/// recorded after the undone events, and redone with them. Feedback follows the newest state: going back and
/// forward doesn't begin or cancel its effects.
///
/// You may use a recorder from any thread, like a ``Store``. It keeps every state and every event, or only the
/// newest if you set a maximum. Going back or forward any number of events is O(1).
public final class StoreRecorder<State: Sendable, Event: Sendable>: Sendable {
    /// The store, for observers, derived stores and views.
    ///
    /// Events that you dispatch to it, or to a store derived from it, are recorded too.
    public let store: Store<State, RecorderEvent<Event>>

    private let timeline: Locked<Timeline<State, Event>>

    /// Creates a recorder from a state and a reducer.
    ///
    /// - Parameters:
    ///   - initialState: The first state, at position 0.
    ///   - maximumEvents: The most events to keep; by default all are kept. If there are more, the oldest
    ///     events are dropped together with the states before them, but no event after the current state is
    ///     dropped. Dropping an event is O(*maximumEvents*).
    ///   - reducer: Computes the next state, and the effects if there are any.
    ///   - middleware: Layers around dispatch, outermost first. The events of effects go through them, too;
    ///     steps through the history and replayed events don't.
    ///   - feedback: Effects that last as long as a query of the newest state has a value.
    ///   - queueLimit: The most changes that the queue holds before a dispatch waits for a free place, as in
    ///     ``Store``; nil for no limit. Less than 1 is a programming error and traps.
    ///   - onFailure: Called with the error if an effect fails and doesn't turn the error into an event. If nil,
    ///     failures are reported as in ``Store``.
    public init(
        initialState: State, maximumEvents: Int = .max,
        reducer: Reducer<State, Event>,
        middleware: [StoreMiddleware<State, Event>] = [],
        feedback: [Feedback<State, Event>] = [], queueLimit: Int? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil
    ) {
        precondition(maximumEvents >= 0, "StoreRecorder: maximumEvents is negative.")
        let timeline = Locked(
            Timeline<State, Event>(
                initialState, maximumEvents: maximumEvents, feedback: feedback))
        self.timeline = timeline
        // The store reduces one event at a time, so the timeline gets the events in order.
        store = Store(
            initialState: initialState,
            reducer: Reducer(effects: { state, event in
                timeline.withLock { $0.applyEvent(event, &state, reducer.body) }
            }),
            middleware: middleware.map { $0.ofRecorder() },
            feedback: feedback.map(\.ofRecorderAtTheBeginning), queueLimit: queueLimit,
            onFailure: onFailure)
        // Observers run without a lock, so the discarded states and events can be freed here.
        store.subscribe { _, _ in timeline.withLockThenRelease { $0.takeRemovedHistory() } }
    }

    /// The current state.
    public var state: State { store.state }

    /// Dispatches an event, and records it.
    ///
    /// - Parameter event: What happened. Undone events are discarded.
    public func dispatch(_ event: Event) { store.dispatch(.event(event)) }

    /// The number of events from the first of ``states`` to the current state.
    public var position: Int { history { $0.position } }

    /// All kept events in order, including undone ones.
    public var events: [Event] { history { $0.events } }

    /// The number of events dropped because of the maximum; the oldest go first.
    public var droppedEvents: Int { history { $0.droppedEvents } }

    /// The state at every position.
    ///
    /// The first is the initial state, or the oldest one kept. Then follows the state after each event.
    public var states: [State] { history { $0.states } }

    /// True if there is an event to undo.
    public var canUndo: Bool { position > 0 }

    /// True if an event was undone, and no event was dispatched since.
    public var canRedo: Bool { history { $0.position < $0.events.count } }

    /// Goes one event back.
    ///
    /// - Returns: False if there is no event to undo; then nothing happens.
    @discardableResult
    public func undo() -> Bool { go(.undo, if: canUndo) }

    /// Goes one event forward again.
    ///
    /// - Returns: False if no event was undone; then nothing happens.
    @discardableResult
    public func redo() -> Bool { go(.redo, if: canRedo) }

    /// Goes to any position.
    ///
    /// - Parameter position: An index of ``states``: 0 is the initial state, or the oldest one kept.
    /// - Returns: False if there is no such position; then nothing happens.
    @discardableResult
    public func travel(to position: Int) -> Bool {
        go(.travel(to: position), if: history { $0.states.indices.contains(position) })
    }

    /// Replays events without their effects.
    ///
    /// An effect under way is cancelled if a replayed event cancels it, or replaces it with an effect of the same id.
    ///
    /// - Parameter events: The events, including those that effects sent, as in ``events``. They are recorded
    ///   here, too, and bypass the middleware, because they went through it when they were first recorded.
    public func replay(_ events: some Sequence<Event>) {
        for event in events { store.dispatch(.replay(event)) }
    }

    var eventsUpToNow: [Event] { history { Array($0.events.prefix($0.position)) } }

    /// Reads the history.
    ///
    /// Inside the reducer, this traps, as reading the store does.
    private func history<Part>(_ part: (Timeline<State, Event>) -> Part) -> Part {
        store.core.trapIfReducing("read the history")
        return timeline.withLock { part($0) }
    }

    private func go(_ event: RecorderEvent<Event>, if isPossible: Bool) -> Bool {
        if isPossible { store.dispatch(event) }
        return isPossible
    }
}

extension StoreRecorder where Event: Encodable {
    /// Writes the events that lead to the current state to a file, each as one line of JSON.
    ///
    /// Undone events are left out, and so are events that were dropped because of the maximum. If some were
    /// dropped, ``droppedEvents`` isn't 0, and the first event of the file follows the first of ``states``. If
    /// events contain secrets, the file contains them too.
    ///
    /// - Parameters:
    ///   - file: The file. An existing file is replaced atomically.
    ///   - encoder: Encodes each event. Line breaks in its output are removed: in JSON they are only white space.
    /// - Throws: An error whose text names the file and the line, if an event can't be encoded or the file can't be written.
    public func save(to file: URL, encoder: JSONEncoder = JSONEncoder()) throws {
        var data = Data()
        for (index, event) in eventsUpToNow.enumerated() {
            do {
                data.append(contentsOf: try encoder.encode(event).filter { !isLineBreak($0) })
            } catch {
                throw RecordingError(.unencodable, file, line: index + 1, Event.self, error)
            }
            data.append(UInt8(ascii: "\n"))
        }
        do {
            try data.write(to: file, options: .atomic)
        } catch {
            throw RecordingError(.unwritable, file, Event.self, error)
        }
    }
}

/// Returns whether a byte of JSON is a line break.
///
/// JSON escapes those within strings.
private func isLineBreak(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
}

extension StoreRecorder where Event: Decodable {
    /// Replays the events of a file that ``save(to:encoder:)`` has written, without their effects.
    ///
    /// The events are applied to the current state. If the current state equals the state before the saved events, the
    /// events make the same states again.
    ///
    /// - Parameters:
    ///   - file: The file. Blank lines are skipped.
    ///   - decoder: Decodes each event.
    /// - Throws: An error whose text names the file and the line, if the file can't be read, or a line isn't an event of this type. In both
    ///   cases no event is replayed.
    public func replay(contentsOf file: URL, decoder: JSONDecoder = JSONDecoder()) throws {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw RecordingError(.unreadable, file, Event.self, error)
        }
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var events: [Event] = []
        for (index, line) in lines.enumerated() where !line.allSatisfy(isBlank) {
            do {
                events.append(try decoder.decode(Event.self, from: Data(line)))
            } catch {
                throw RecordingError(.malformed, file, line: index + 1, Event.self, error)
            }
        }
        replay(events)
    }

    private func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}

/// An error while writing a ``StoreRecorder``'s events to a file, or reading them from one.
package struct RecordingError: Error, CustomStringConvertible {
    /// The kinds of failure.
    package enum Code: Hashable, Sendable {
        /// The file could not be read.
        case unreadable
        /// A line of the file is not an event.
        case malformed
        /// An event could not be encoded.
        case unencodable
        /// The file could not be written.
        case unwritable
    }

    /// The kind of failure.
    package let code: Code

    /// The file.
    package let file: URL

    /// The line, counted from 1; nil if the failure doesn't concern one line.
    package let line: Int?

    /// The underlying error.
    ///
    /// The description doesn't show it, because it may quote an event.
    package let cause: any Error

    private let event: String

    init(
        _ code: Code, _ file: URL, line: Int? = nil, _ event: Any.Type, _ cause: any Error
    ) {
        self.code = code
        self.file = file
        self.line = line
        self.cause = cause
        self.event = "\(event)"
    }

    /// The file, the line, and what to do.
    package var description: String {
        let place = file.lastPathComponent + (line.map { ", line \($0)" } ?? "")
        let kind = type(of: cause)
        return switch code {
        case .unreadable: "\(place) could not be read (\(kind)): is there such a file?"
        case .malformed:
            "\(place) is not a \(event) as JSON (\(kind)): mend or remove the line. No event was played"
        case .unencodable:
            "\(place): the \(event) could not be encoded (\(kind)). Nothing was written"
        case .unwritable:
            "\(place) could not be written (\(kind)): is its folder there, and writable?"
        }
    }
}

/// An event of a ``StoreRecorder``'s store: an event of the app, or a step through the history.
public enum RecorderEvent<Event: Sendable>: Sendable {
    /// An event of the app.
    ///
    /// It is recorded, and its effects begin.
    case event(Event)
    /// An event of an effect.
    ///
    /// It is recorded after all others, even while the recorder has gone back. In that case, the state changes
    /// when the event is redone.
    case answer(Event)
    /// A replayed event.
    ///
    /// It is recorded again, and begins no effect. Running effects that it cancels or replaces are cancelled.
    case replay(Event)
    /// Goes one event back, if there is one.
    case undo
    /// Goes one event forward again, if one was undone.
    case redo
    /// Goes to the state at a position, if there is one.
    case travel(to: Int)
}

extension RecorderEvent: Equatable where Event: Equatable {}

extension RecorderEvent: Hashable where Event: Hashable {}

extension StoreMiddleware {
    /// This middleware for a ``StoreRecorder``'s store.
    ///
    /// It gets the events of the app and of effects. Steps through the history bypass it, and so do replayed events,
    /// which went through it when they were recorded.
    func ofRecorder() -> StoreMiddleware<State, RecorderEvent<Event>> {
        StoreMiddleware<State, RecorderEvent<Event>> { context in
            let ready = setUp(DispatchContext(context) { .event($0) })
            return { next in
                let dispatch = ready { event in
                    next(RecorderCall.isOfAnswer ? .answer(event) : .event(event))
                }
                return { event in
                    switch event {
                    case .event(let event):
                        RecorderCall.$isOfAnswer.withValue(false) { dispatch(event) }
                    case .answer(let event):
                        RecorderCall.$isOfAnswer.withValue(true) { dispatch(event) }
                    case .replay, .undo, .redo, .travel: next(event)
                    }
                }
            }
        }
    }
}

/// What a recorder's middleware is handling in the current call; tasks of the call inherit it.
private enum RecorderCall {
    /// True for the event of an effect.
    @TaskLocal static var isOfAnswer = false
}

extension Feedback {
    /// This feedback, in a ``StoreRecorder``'s store, for the initial state only.
    ///
    /// For later states, the timeline runs it, because feedback follows the newest state even if the recorder shows an
    /// older one.
    var ofRecorderAtTheBeginning: Feedback<State, RecorderEvent<Event>> {
        Feedback<State, RecorderEvent<Event>>(step: { old, new in
            old == nil ? step(nil, new).map { .answer($0) } : .none
        })
    }
}
