import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime) struct EffectFireAndForgetTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()

    @Test func noEventComesOfIt() {
        let done = Promise<Int>()
        stage.run(.concatenate(.fireAndForget(done), stage.pending("next")))
        #expect(stage.store.effectsUnderWay == 1)
        #expect(stage.started.elements.isEmpty)
        done.resolve(with: 7)
        #expect(stage.started.elements == ["next"])
        #expect(stage.got.isEmpty)
    }

    @Test func aFailureIsReportedUnlessItIsCaught() {
        let caught = TestLog<String>()
        stage.run(.fireAndForget(Future<Int>(error: EffectTests.Failed(name: "x"))))
        #expect(stage.failures.elements == ["Failed(name: \"x\")"])
        let failed = Future<Int>(error: EffectTests.Failed(name: "y"))
        stage.run(.fireAndForget(failed) { caught.append("\($0)") })
        stage.run(
            .fireAndForget(Future<Int>(error: CancellationError())) { caught.append("\($0)") })
        #expect(caught.elements == ["Failed(name: \"y\")"])
        #expect(stage.failures.elements.count == 1)
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func itIsCancelledByItsID() {
        let cancelled = TestLog<Int>()
        let done = Promise<Int>()
        done.onCancel { cancelled.append(1) }
        let effect = Effect<Event>.fireAndForget(done).id("x")
        stage.run(effect)
        stage.run(.cancel(id: "x"))
        #expect(cancelled.elements == [1])
    }

    @Test func anOperationIsDoneToo() async {
        let (stage, done) = (stage, TestLog<String>())
        stage.run(.fireAndForget { done.append("done") })
        stage.run(
            .fireAndForget {
                throw EffectTests.Failed(name: "x")
            } catch: {
                done.append("\($0)")
            })
        #expect(await comesTrue { stage.store.effectsUnderWay == 0 })
        #expect(Set(done.elements) == ["done", "Failed(name: \"x\")"])
        #expect(stage.failures.elements.isEmpty)
    }
}
