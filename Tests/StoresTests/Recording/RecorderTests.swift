import Foundation
import Futures
import Stores
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RecorderTests {
    let recorder = Recorder(initialState: 0, reduce: { (state: Int, event: Int) in state + event })

    @Test func goesBackAndForth() {
        for event in [1, 10, 100] { recorder.dispatch(event: event) }
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

    @Test func thereIsNothingBeyondTheEnds() {
        #expect(!recorder.undo())
        #expect(!recorder.redo())
        recorder.dispatch(event: 5)
        #expect(!recorder.redo())
        #expect(recorder.undo())
        #expect(!recorder.undo())
        #expect(recorder.state == 0)
        #expect(!recorder.canUndo && recorder.canRedo)
    }

    @Test func travelsAnywhereThatWas() {
        for event in 1...5 { recorder.dispatch(event: event) }
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

    @Test func stepsBeyondTheEndsThatAreDispatchedChangeNothing() {
        for event: RecorderEvent<Int> in [.undo, .redo, .travel(to: 3), .travel(to: .min)] {
            recorder.store.dispatch(event: event)
        }
        #expect(recorder.state == 0)
        #expect(recorder.events == [])
    }

    @Test func aNewEventTakesThePlaceOfTheUndone() {
        for event in [1, 10, 100] { recorder.dispatch(event: event) }
        recorder.travel(to: 1)
        recorder.dispatch(event: 5)
        #expect(recorder.events == [1, 5])
        #expect(recorder.states == [0, 1, 6])
        #expect(!recorder.canRedo)
    }

    @Test func observersSeeConsecutivePairs() {
        let pairs = Locked<[[Int?]]>([])
        let id = recorder.subscribe { old, new in pairs.withLock { $0.append([old, new]) } }
        recorder.dispatch(event: 3)
        recorder.undo()
        recorder.redo()
        recorder.unsubscribe(id)
        recorder.undo()
        #expect(pairs.withLock { $0 } == [[nil, 0], [0, 3], [3, 0], [0, 3]])
    }

    @Test func effectsAreRecordedAndNotRepeated() {
        let begun = Locked(0)
        let gate = Promise<String>()
        let recorder = Recorder<[String], String>(
            initialState: [],
            effects: { state, event in
                state.append(event)
                guard event == "ask" else { return .none }
                return .future {
                    begun.withLock { $0 += 1 }
                    return gate
                }
            })
        recorder.dispatch(event: "ask")
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

    /// A recorder of words, of which "ask" begins an effect and "stop" cancels it.
    func words(
        _ answers: Locked<[Promise<String>]>, maximumEvents: Int = .max,
        middleware: [DispatchMiddleware<[String], String>] = []
    ) -> Recorder<[String], String> {
        Recorder(
            initialState: [], maximumEvents: maximumEvents,
            effects: { state, event in
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
            }, middleware: middleware)
    }

    @Test("T9: an answer after undo leaves what can be redone")
    func anAnswerAfterUndoIsRecordedAtTheEnd() {
        let answers = Locked<[Promise<String>]>([])
        let recorder = words(answers)
        recorder.dispatch(event: "a")
        recorder.dispatch(event: "ask")
        recorder.undo()
        answers.withLock { $0 }[0].resolve(with: "answer")
        #expect(recorder.state == ["a"])
        #expect(recorder.events == ["a", "ask", "answer"])
        #expect(recorder.position == 1)
        #expect(recorder.redo())
        #expect(recorder.redo())
        #expect(recorder.state == ["a", "ask", "answer"])
    }

    @Test("T9: a replayed cancel cancels the live effect")
    func aReplayedCancelCancels() {
        let answers = Locked<[Promise<String>]>([])
        let recorder = words(answers)
        recorder.dispatch(event: "ask")
        recorder.replay(["stop"])
        answers.withLock { $0 }[0].resolve(with: "answer")
        #expect(recorder.events == ["ask", "stop"])
        #expect(recorder.state == ["ask", "stop"])
    }

    @Test("T9: a replayed event replaces the live effect of its id, and begins none")
    func aReplayedEffectReplaces() {
        let answers = Locked<[Promise<String>]>([])
        let recorder = words(answers)
        recorder.dispatch(event: "ask")
        recorder.replay(["ask", "answer"])
        answers.withLock { $0 }[0].resolve(with: "late")
        #expect(answers.withLock { $0.count } == 1)
        #expect(recorder.events == ["ask", "ask", "answer"])
    }

    @Test func keepsNoMoreThanItsMaximum() {
        let recorder = Recorder<Int, Int>(
            initialState: 0, maximumEvents: 2, reduce: { $0 + $1 })
        for event in [1, 10, 100] { recorder.dispatch(event: event) }
        #expect(recorder.events == [10, 100])
        #expect(recorder.states == [1, 11, 111])
        #expect(recorder.droppedEvents == 1)
        #expect(recorder.travel(to: 0))
        #expect(recorder.state == 1)
        #expect(!recorder.undo())
        recorder.dispatch(event: 5)
        #expect(recorder.events == [5])
        #expect(recorder.states == [1, 6])
    }

    @Test func keepsNothingWhereItsMaximumIsZero() {
        let recorder = Recorder<Int, Int>(
            initialState: 0, maximumEvents: 0, reduce: { $0 + $1 })
        for event in [1, 10] { recorder.dispatch(event: event) }
        #expect(recorder.state == 11)
        #expect(recorder.states == [11])
        #expect(!recorder.canUndo)
    }

    @Test func anAnswerDropsNothingThatTheStateIsBefore() {
        let answers = Locked<[Promise<String>]>([])
        let recorder = words(answers, maximumEvents: 1)
        recorder.dispatch(event: "ask")
        recorder.undo()
        answers.withLock { $0 }[0].resolve(with: "answer")
        #expect(recorder.events == ["ask", "answer"])
        #expect(recorder.state == [])
        recorder.redo()
        recorder.redo()
        recorder.dispatch(event: "more")
        #expect(recorder.events == ["more"])
        #expect(recorder.state == ["ask", "answer", "more"])
    }

    @Test func middlewareSeesWhatHappensAndNoStepsThroughHistory() {
        let seen = Locked<[String]>([])
        let answers = Locked<[Promise<String>]>([])
        let layer = DispatchMiddleware<[String], String> { context in
            seen.withLock { $0.append("set up") }
            return { next in
                seen.withLock { $0.append("ready") }
                return { event in
                    seen.withLock { $0.append("\(event) at \(context.state.count)") }
                    if event == "twice" { context.dispatch(event: "once") }
                    if event != "drop" { next(event.lowercased()) }
                }
            }
        }
        let recorder = words(answers, middleware: [layer])
        for event in ["ask", "twice", "drop"] { recorder.dispatch(event: event) }
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

    @Test func feedbackFollowsTheNewestState() {
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
        let recorder = Recorder<[Int], Int>(
            initialState: [1], reduce: { $0 + [$1] }, feedback: [feedback])
        recorder.dispatch(event: 2)
        #expect(log.withLock { $0 } == ["begin 1", "cancel 1", "begin 2"])
        recorder.undo()
        recorder.redo()
        #expect(log.withLock { $0.count } == 3)
        recorder.replay([3])
        #expect(log.withLock { $0.suffix(1) } == ["cancel 2"])
    }

    @Test func keepsCountWithManyThreads() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [recorder] in
                    for step in 0..<500 {
                        recorder.dispatch(event: step)
                        if step % 3 == 0 { recorder.undo() }
                    }
                }
            }
        }
        let states = recorder.events.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
        #expect(recorder.states == states)
        #expect(recorder.state == states[recorder.position])
    }

    @Test func readingTheHistoryInTheReducerTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let holder = Locked<Recorder<Int, Int>?>(nil)
            let recorder = Recorder<Int, Int>(
                initialState: 0,
                reduce: { state, event in (holder.withLock { $0 }?.position ?? 0) + event })
            holder.withLock { $0 = recorder }
            // Where it waited for itself, it would end as if all were well.
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(10)) { exit(0) }
            recorder.dispatch(event: 1)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("tried to read the history"))
    }

    @Test func aReducibleStateNeedsNoReducer() {
        struct Counter: Reducible {
            var count = 0
            static func reduce(_ state: Counter, event: Int) -> Counter {
                Counter(count: state.count + event)
            }
        }
        let recorder = Recorder(initialState: Counter())
        recorder.dispatch(event: 4)
        recorder.undo()
        #expect(recorder.states.map(\.count) == [0, 4])
        #expect(recorder.state.count == 0)
    }
}
