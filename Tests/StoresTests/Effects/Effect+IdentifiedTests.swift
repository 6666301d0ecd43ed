import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite struct EffectIdentifiedTests {
    let stage = EffectTests.Stage()

    @Test func anEffectThatIsNoneReplacesNothing() {
        stage.run(stage.pending("a").id("x"))
        stage.run(.none.id("x"))
        stage.run(.merge(.none, .none).id("x"))
        #expect(stage.cancelled.elements.isEmpty)
        #expect(stage.store.effectsUnderWay == 1)
    }

    @Test func anEffectThatOnlyCancelsReplacesAsAnyOther() {
        stage.run(stage.pending("a").id("x"))
        stage.run(.cancel(id: "other").id("x"))
        #expect(stage.cancelled.elements == ["a"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func aLaterPartOfASequenceIsCancelledBeforeItBegins() {
        stage.run(.concatenate(stage.pending("save"), stage.pending("load").id("x")))
        stage.run(.cancel(id: "x"))
        stage.run(stage.pending("newer").id("x"))
        stage.settle("save")
        #expect(stage.started.elements == ["save", "newer"])
        #expect(stage.cancelled.elements.isEmpty)
        #expect(stage.store.effectsUnderWay == 1)
    }

    @Test func whatWaitsForADelayOrATurnIsCancelledByTheIdsWithinIt() {
        stage.run(stage.pending("first").id("turn"))
        stage.run(
            .concatenate(stage.pending("second").id("x"), stage.pending("third")).id(
                "turn", .serial))
        stage.run(
            stage.pending("late").id("x").debounce(
                id: "delay", for: .seconds(1), on: ManualScheduler()))
        stage.run(.cancel(id: "x"))
        #expect(stage.store.effectsUnderWay == 2)
        stage.settle("first")
        #expect(stage.started.elements == ["first", "third"])
    }

    @Test func whatComesAfterACancellationInItsOwnSequenceBegins() {
        stage.run(stage.pending("a").id("x"))
        stage.run(.concatenate(.cancel(id: "x"), stage.pending("b").id("x")))
        stage.run(.merge(.cancel(id: "y"), stage.pending("c").id("y")))
        #expect(stage.cancelled.elements == ["a"])
        #expect(stage.started.elements == ["a", "b", "c"])
    }

    @Test func serialEffectsInsideIdsThatAreNestedInBothOrdersWaitForEachOther() {
        for (outer, inner) in [(1, 2), (2, 1)] {
            stage.run(
                .concatenate(
                    stage.pending("\(outer)"), stage.pending("part").id(inner, .serial)
                ).id(outer))
        }
        stage.settle("1")
        stage.settle("2")
        #expect(stage.started.elements == ["1", "2"])
        #expect(stage.store.effectsUnderWay == 2)
        stage.run(.cancel(id: 1))
        #expect(stage.started.elements == ["1", "2"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test("T2: an effect that ends as it begins leaves its id to the next part of its group")
    func anEffectThatEndsAsItBeginsLeavesItsId() {
        stage.run(
            .merge(
                .cancel(id: 2).id(1, .oldest),
                stage.pending("y").id(1, .oldest)))
        #expect(stage.started.elements == ["y"])
        stage.settle("y")
        #expect(stage.got == ["y"])
    }
}
