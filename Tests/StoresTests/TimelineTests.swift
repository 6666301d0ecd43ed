import PledgeFutures
import PledgeStores
import Testing

/// How a recorder handles late answers and replayed events, and what it keeps.
@Suite struct TimelineTests {
    @Test func anEffectsAnswerAfterAnUndoLeavesTheEventsThatCanBeRedone() {
        let answers = Locked<[Promise<String>]>([])
        let recorder = recorderOfWords(answers)
        recorder.dispatch("a")
        recorder.dispatch("ask")
        recorder.undo()
        answers.withLock { $0 }[0].resolve(with: "answer")
        #expect(recorder.state == ["a"])
        #expect(recorder.events == ["a", "ask", "answer"])
        #expect(recorder.position == 1)
        #expect(recorder.redo())
        #expect(recorder.redo())
        #expect(recorder.state == ["a", "ask", "answer"])
    }

    @Test func aReplayedCancelCancelsTheLiveEffect() {
        let answers = Locked<[Promise<String>]>([])
        let recorder = recorderOfWords(answers)
        recorder.dispatch("ask")
        recorder.replay(["stop"])
        answers.withLock { $0 }[0].resolve(with: "answer")
        #expect(recorder.events == ["ask", "stop"])
        #expect(recorder.state == ["ask", "stop"])
    }

    @Test("a replayed event replaces the live effect of its id, and begins none")
    func aReplayedEventReplacesTheLiveEffectOfItsId() {
        let answers = Locked<[Promise<String>]>([])
        let recorder = recorderOfWords(answers)
        recorder.dispatch("ask")
        recorder.replay(["ask", "answer"])
        answers.withLock { $0 }[0].resolve(with: "late")
        #expect(answers.withLock { $0.count } == 1)
        #expect(recorder.events == ["ask", "ask", "answer"])
    }

    @Test func aTimelineKeepsNoMoreThanItsMaximum() {
        let recorder = StoreRecorder<Int, Int>(
            initialState: 0, maximumEvents: 2, reducer: Reducer { $0 + $1 })
        for event in [1, 10, 100] { recorder.dispatch(event) }
        #expect(recorder.events == [10, 100])
        #expect(recorder.states == [1, 11, 111])
        #expect(recorder.droppedEvents == 1)
        #expect(recorder.travel(to: 0))
        #expect(recorder.state == 1)
        #expect(!recorder.undo())
        recorder.dispatch(5)
        #expect(recorder.events == [5])
        #expect(recorder.states == [1, 6])
    }

    @Test func aTimelineWithAMaximumOfZeroKeepsNothing() {
        let recorder = StoreRecorder<Int, Int>(
            initialState: 0, maximumEvents: 0, reducer: Reducer { $0 + $1 })
        for event in [1, 10] { recorder.dispatch(event) }
        #expect(recorder.state == 11)
        #expect(recorder.states == [11])
        #expect(!recorder.canUndo)
    }

    @Test func anEffectsAnswerDropsNoUndoneEventFromAFullTimeline() {
        let answers = Locked<[Promise<String>]>([])
        let recorder = recorderOfWords(answers, maximumEvents: 1)
        recorder.dispatch("ask")
        recorder.undo()
        answers.withLock { $0 }[0].resolve(with: "answer")
        #expect(recorder.events == ["ask", "answer"])
        #expect(recorder.state == [])
        recorder.redo()
        recorder.redo()
        recorder.dispatch("more")
        #expect(recorder.events == ["more"])
        #expect(recorder.state == ["ask", "answer", "more"])
    }
}
