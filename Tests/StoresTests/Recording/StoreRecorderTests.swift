import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime)
struct StoreRecorderTests {
    let recorder = StoreRecorder(
        initialState: 0, reducer: Reducer { (state: Int, event: Int) in state + event })

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

    @Test func takesAReducerWithEffects() {
        let recorder = StoreRecorder(
            initialState: 0,
            reducer: Reducer<Int, Int>(effects: { state, event in
                state += event
                return event == 1 ? .future(Future(value: 5)) : .none
            }))
        recorder.dispatch(event: 1)
        #expect(recorder.states == [0, 1, 6])
        #expect(recorder.undo() && recorder.state == 1)
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
        let id = recorder.store.subscribe { old, new in pairs.withLock { $0.append([old, new]) } }
        recorder.dispatch(event: 3)
        recorder.undo()
        recorder.redo()
        recorder.store.unsubscribe(id)
        recorder.undo()
        #expect(pairs.withLock { $0 } == [[nil, 0], [0, 3], [3, 0], [0, 3]])
    }

    @Test func effectsAreRecordedAndNotRepeated() {
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
            let holder = Locked<StoreRecorder<Int, Int>?>(nil)
            let recorder = StoreRecorder<Int, Int>(
                initialState: 0,
                reducer: Reducer { state, event in (holder.withLock { $0 }?.position ?? 0) + event }
            )
            holder.withLock { $0 = recorder }
            // If the recorder waited for itself, the process would end with success.
            exitIfHung(0)
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
        let recorder = StoreRecorder(initialState: Counter(), reducer: Reducer())
        recorder.dispatch(event: 4)
        recorder.undo()
        #expect(recorder.states.map(\.count) == [0, 4])
        #expect(recorder.state.count == 0)
    }
}
