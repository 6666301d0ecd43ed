import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime) struct EffectEventsTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()

    @Test func eachElementIsAnEvent() async {
        let (numbers, continuation) = AsyncStream<Int>.makeStream()
        stage.run(.concatenate(.events(of: numbers) { .got("\($0)") }, stage.pending("next")))
        continuation.yield(1)
        #expect(await comesTrue { stage.got == ["1"] })
        #expect(stage.started.elements.isEmpty)
        continuation.yield(2)
        continuation.finish()
        #expect(await comesTrue { stage.started.elements == ["next"] })
        #expect(stage.got == ["1", "2"])
    }

    @Test func theSequenceIsMadeWhenTheEffectBeginsAndGivenUpWithIt() async {
        let ended = TestLog<Bool>()
        let effect = Effect<Event>.events(
            of: AsyncStream<Event> { continuation in
                continuation.onTermination = { _ in ended.append(true) }
                continuation.yield(.got("a"))
            }
        ).id("events")
        for count in 1...2 {
            stage.run(effect)
            #expect(await comesTrue { stage.got.count == count })
        }
        stage.run(.cancel(id: "events"))
        #expect(await comesTrue { ended.elements.count == 2 })
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func aSequenceThatThrowsHasFailed() async {
        let failing = AsyncThrowingStream<Event, any Error> { continuation in
            continuation.yield(.got("a"))
            continuation.finish(throwing: EffectTests.Failed(name: "x"))
        }
        stage.run(.events(of: failing))
        #expect(await comesTrue { stage.failures.elements == ["Failed(name: \"x\")"] })
        #expect(stage.got == ["a"])
        #expect(stage.store.effectsUnderWay == 0)
    }
}
