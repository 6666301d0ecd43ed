import Futures
import Stores
import TestSupport
import Testing

@Suite struct EffectFireAndForgetTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()

    @Test func noEventComesOfIt() {
        let done = Promise<Int>()
        stage.run(.concatenate(.fireAndForget(done), stage.pending("next")))
        #expect(stage.store.effectsUnderWay == 1)
        #expect(stage.started.all.isEmpty)
        done.resolve(with: 7)
        #expect(stage.started.all == ["next"])
        #expect(stage.got.isEmpty)
    }

    @Test func aFailureIsReportedUnlessItIsCaught() {
        let caught = Seen<String>()
        stage.run(.fireAndForget(Future<Int>(error: EffectTests.Failed(name: "x"))))
        #expect(stage.failures.all == ["Failed(name: \"x\")"])
        let failed = Future<Int>(error: EffectTests.Failed(name: "y"))
        stage.run(.fireAndForget(failed) { caught.add("\($0)") })
        stage.run(.fireAndForget(Future<Int>(error: CancellationError())) { caught.add("\($0)") })
        #expect(caught.all == ["Failed(name: \"y\")"])
        #expect(stage.failures.all.count == 1)
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func itIsCancelledByItsID() {
        let cancelled = Seen<Int>()
        let done = Promise<Int>()
        done.onCancel { cancelled.add(1) }
        let effect = Effect<Event>.fireAndForget(done).id("x")
        stage.run(effect)
        stage.run(.cancel(id: "x"))
        #expect(cancelled.all == [1])
    }

    @Test func anOperationIsDoneToo() async {
        let (stage, done) = (stage, Seen<String>())
        stage.run(.fireAndForget { done.add("done") })
        stage.run(
            .fireAndForget {
                throw EffectTests.Failed(name: "x")
            } catch: {
                done.add("\($0)")
            })
        #expect(await comesTrue { stage.store.effectsUnderWay == 0 })
        #expect(Set(done.all) == ["done", "Failed(name: \"x\")"])
        #expect(stage.failures.all.isEmpty)
    }
}
