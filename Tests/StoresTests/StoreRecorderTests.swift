import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime)
struct StoreRecorderTests {
    let recorder = StoreRecorder(
        initialState: 0, reducer: Reducer { (state: Int, event: Int) in state + event })

    @Test func aRecorderGoesBackAndForth() {
        for event in [1, 10, 100] { recorder.dispatch(event) }
        #expect(recorder.states == [0, 1, 11, 111])
        #expect(recorder.undo())
        #expect(recorder.undo())
        #expect(recorder.state == 1)
        #expect(recorder.position == 1)
        #expect(recorder.redo())
        #expect(recorder.state == 11)
        #expect(recorder.canUndo && recorder.canRedo)
        #expect(recorder.events == [1, 10, 100])
    }

    @Test func aRecorderTakesAReducerWithEffects() {
        let recorder = StoreRecorder(
            initialState: 0,
            reducer: Reducer<Int, Int>(effects: { state, event in
                state += event
                return event == 1 ? .future(Future(value: 5)) : .none
            }))
        recorder.dispatch(1)
        #expect(recorder.states == [0, 1, 6])
        #expect(recorder.undo() && recorder.state == 1)
    }

    @Test func aRecordersHistoryHasNothingBeyondItsEnds() {
        #expect(!recorder.undo())
        #expect(!recorder.redo())
        recorder.dispatch(5)
        #expect(!recorder.redo())
        #expect(recorder.undo())
        #expect(!recorder.undo())
        #expect(recorder.state == 0)
        #expect(!recorder.canUndo && recorder.canRedo)
    }

    @Test func aRecorderTravelsToAnyStateThatWas() {
        for event in 1...5 { recorder.dispatch(event) }
        for position in [0, 5, 2, 2, 4] {
            #expect(recorder.travel(to: position))
            #expect(recorder.position == position)
            #expect(recorder.state == recorder.states[position])
        }
        #expect(!recorder.travel(to: 6))
        #expect(!recorder.travel(to: -1))
        #expect(!recorder.travel(to: .max))
        #expect(!recorder.travel(to: .min))
        #expect(recorder.position == 4)
    }

    @Test func stepsBeyondTheEndsOfARecordersHistoryChangeNothing() {
        for event: RecorderEvent<Int> in [.undo, .redo, .travel(to: 3), .travel(to: .min)] {
            recorder.store.dispatch(event)
        }
        #expect(recorder.state == 0)
        #expect(recorder.events == [])
    }

    @Test func aNewEventTakesThePlaceOfTheEventsThatARecorderHasUndone() {
        for event in [1, 10, 100] { recorder.dispatch(event) }
        recorder.travel(to: 1)
        recorder.dispatch(5)
        #expect(recorder.events == [1, 5])
        #expect(recorder.states == [0, 1, 6])
        #expect(!recorder.canRedo)
    }

    @Test func observersOfARecorderSeeConsecutivePairs() {
        let pairs = Locked<[[Int?]]>([])
        let token = recorder.store.subscribe { old, new in
            pairs.withLock { $0.append([old, new]) }
        }
        recorder.dispatch(3)
        recorder.undo()
        recorder.redo()
        token.cancel()
        recorder.undo()
        #expect(pairs.withLock { $0 } == [[nil, 0], [0, 3], [3, 0], [0, 3]])
    }

    @Test func aRecorderRecordsTheEventsOfEffectsAndBeginsNoEffectAgain() {
        let begun = Locked(0)
        let gate = Promise<String>()
        let recorder = StoreRecorder<[String], String>(
            initialState: [],
            reducer: Reducer(effects: { state, event in
                state.append(event)
                guard event == "ask" else { return .none }
                return .future {
                    begun.withLock { $0 += 1 }
                    return gate
                }
            }))
        recorder.dispatch("ask")
        gate.resolve(with: "answer")
        #expect(recorder.events == ["ask", "answer"])
        recorder.travel(to: 0)
        recorder.redo()
        recorder.redo()
        #expect(recorder.state == ["ask", "answer"])
        recorder.replay(["ask", "answer"])
        #expect(recorder.state == ["ask", "answer", "ask", "answer"])
        #expect(begun.withLock { $0 } == 1)
    }

    @Test func aRecorderKeepsCountWithManyThreads() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [recorder] in
                    for step in 0..<500 {
                        recorder.dispatch(step)
                        if step % 3 == 0 { recorder.undo() }
                    }
                }
            }
        }
        let states = recorder.events.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
        #expect(recorder.states == states)
        #expect(recorder.state == states[recorder.position])
    }

    @Test func readingARecordersHistoryInItsReducerTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let holder = Locked<StoreRecorder<Int, Int>?>(nil)
            let recorder = StoreRecorder<Int, Int>(
                initialState: 0,
                reducer: Reducer { state, event in (holder.withLock { $0 }?.position ?? 0) + event }
            )
            holder.withLock { $0 = recorder }
            // If the recorder waited for itself, the process would end with success.
            exitIfHung(0)
            recorder.dispatch(1)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("tried to read the history"))
    }

    @Test func aRecorderOfAReducibleStateNeedsNoReducer() {
        struct Counter: Reducible {
            var count = 0
            static func reduce(_ state: Counter, event: Int) -> Counter {
                Counter(count: state.count + event)
            }
        }
        let recorder = StoreRecorder(initialState: Counter(), reducer: Reducer())
        recorder.dispatch(4)
        recorder.undo()
        #expect(recorder.states.map(\.count) == [0, 4])
        #expect(recorder.state.count == 0)
    }
}

@Suite struct RecorderFileTests {
    enum Event: Codable, Equatable, Sendable {
        case typed(String)
        case cleared
    }

    private let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("recorder-\(UUID().uuidString).jsonl")

    private func makeRecorder() -> StoreRecorder<String, Event> {
        StoreRecorder(
            initialState: "",
            reducer: Reducer { state, event in
                switch event {
                case .typed(let text): state + text
                case .cleared: ""
                }
            })
    }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: file)
    }

    @Test func aRecorderReplaysTheEventsThatAnotherSaved() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let first = makeRecorder()
        let events: [Event] = [.typed("a\nb"), .cleared, .typed("Zoë 👍"), .typed(""), .cleared]
        for event in events { first.dispatch(event) }
        first.undo()
        try first.save(to: file)

        let second = makeRecorder()
        try second.replay(contentsOf: file)

        #expect(second.state == first.state)
        #expect(second.events == Array(events.dropLast()))
        #expect(second.states == Array(first.states.dropLast()))
    }

    @Test func anEncoderMayBreakTheLinesOfARecording() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        let first = makeRecorder()
        for event in [Event.typed("a\nb"), .cleared] { first.dispatch(event) }
        try first.save(to: file, encoder: encoder)

        let second = makeRecorder()
        try second.replay(contentsOf: file)
        #expect(second.events == first.events)
    }

    @Test func aRecordingOfNothingIsAFileToo() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try makeRecorder().save(to: file)
        let second = makeRecorder()
        try second.replay(contentsOf: file)
        #expect(second.events == [])
    }

    @Test func theLinesOfARecordingMayBeEmptyOrEndAsOnWindows() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write("\r\n{\"cleared\":{}}\r\n\n  \n{\"typed\":{\"_0\":\"x\"}}")
        let recorder = makeRecorder()
        try recorder.replay(contentsOf: file)
        #expect(recorder.events == [.cleared, .typed("x")])
    }

    @Test func aWrongLineOfARecordingIsNamedAndNothingIsReplayed() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write("{\"cleared\":{}}\n\n{\"secret\":{}}\n")
        let recorder = makeRecorder()
        let error = try #require(throws: RecordingError.self) {
            try recorder.replay(contentsOf: file)
        }
        #expect(error.code == .malformed)
        #expect(error.line == 3)
        #expect("\(error)".contains("\(file.lastPathComponent), line 3"))
        #expect(!"\(error)".contains("secret"))
        #expect(recorder.events == [])
    }

    @Test func aRecordingThatCannotBeReadOrWrittenFailsWithAnError() throws {
        let error = try #require(throws: RecordingError.self) {
            try makeRecorder().replay(contentsOf: file)
        }
        #expect(error.code == .unreadable)
        #expect(error.line == nil)
        let nowhere = file.appendingPathComponent("no/such/folder")
        #expect(throws: RecordingError.self) { try makeRecorder().save(to: nowhere) }
    }

    @Test func anEventThatCannotBeEncodedLeavesTheFileOfARecordingAsItIs() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        try write("before")
        let recorder = StoreRecorder(
            initialState: 0.0, reducer: Reducer { (_: Double, new: Double) in new })
        recorder.dispatch(1)
        recorder.dispatch(.infinity)
        let error = try #require(throws: RecordingError.self) { try recorder.save(to: file) }
        #expect(error.code == .unencodable)
        #expect(error.line == 2)
        #expect(try String(contentsOf: file, encoding: .utf8) == "before")
    }
}

@Suite struct DispatchMiddlewareRecorderTests {
    @Test func aRecordersMiddlewareSeesNewEventsAndNoStepsThroughHistory() {
        let seen = Locked<[String]>([])
        let answers = Locked<[Promise<String>]>([])
        let layer = StoreMiddleware<[String], String> { context in
            seen.withLock { $0.append("set up") }
            return { next in
                seen.withLock { $0.append("ready") }
                return { event in
                    seen.withLock { $0.append("\(event) at \(context.state.count)") }
                    if event == "twice" { context.dispatch("once") }
                    if event != "drop" { next(event.lowercased()) }
                }
            }
        }
        let recorder = recorderOfWords(answers, middleware: [layer])
        for event in ["ask", "twice", "drop"] { recorder.dispatch(event) }
        recorder.undo()
        answers.withLock { $0 }[0].resolve(with: "ANSWER")
        recorder.redo()
        recorder.replay(["REPLAYED"])
        #expect(
            seen.withLock { $0 } == [
                "set up", "ready", "ask at 0", "twice at 1", "once at 1", "drop at 3",
                "ANSWER at 2",
            ])
        #expect(recorder.events == ["ask", "once", "twice", "REPLAYED"])
    }
}

@Suite struct FeedbackRecorderTests {
    @Test func aRecordersFeedbackFollowsTheNewestState() {
        let log = Locked<[String]>([])
        let held = Locked<[Promise<Int>]>([])
        let feedback = Feedback<[Int], Int>(
            { $0.last },
            effect: { wanted in
                .future {
                    log.withLock { $0.append("begin \(wanted)") }
                    let promise = Promise<Int>()
                    held.withLock { $0.append(promise) }
                    promise.onCancel { log.withLock { $0.append("cancel \(wanted)") } }
                    return promise
                }
            })
        let recorder = StoreRecorder<[Int], Int>(
            initialState: [1], reducer: Reducer { $0 + [$1] }, feedback: [feedback])
        recorder.dispatch(2)
        #expect(log.withLock { $0 } == ["begin 1", "cancel 1", "begin 2"])
        recorder.undo()
        recorder.redo()
        #expect(log.withLock { $0.count } == 3)
        recorder.replay([3])
        #expect(log.withLock { $0.suffix(1) } == ["cancel 2"])
    }
}

/// A recorder of words: "ask" begins an effect, and "stop" cancels it.
func recorderOfWords(
    _ answers: Locked<[Promise<String>]>, maximumEvents: Int = .max,
    middleware: [StoreMiddleware<[String], String>] = []
) -> StoreRecorder<[String], String> {
    StoreRecorder(
        initialState: [], maximumEvents: maximumEvents,
        reducer: Reducer(effects: { state, event in
            state.append(event)
            switch event {
            case "ask":
                return .future {
                    let answer = Promise<String>()
                    answers.withLock { $0.append(answer) }
                    return answer
                }.id("question")
            case "stop": return .cancel(id: "question")
            default: return .none
            }
        }), middleware: middleware)
}
