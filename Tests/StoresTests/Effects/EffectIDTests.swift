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

    @Test func anEffectThatWaitsForADelayOrATurnIsCancelledByTheIdsWithinIt() {
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

    @Test func anEffectAfterACancellationInTheSameSequenceBegins() {
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
                ).id(outer, .serial))
        }
        stage.settle("1")
        stage.settle("2")
        #expect(stage.started.elements == ["1", "2"])
        #expect(stage.store.effectsUnderWay == 2)
        stage.run(.cancel(id: 1))
        #expect(stage.started.elements == ["1", "2"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func anEffectThatEndsAsItBeginsLeavesItsIdToTheNextPartOfItsGroup() {
        stage.run(
            .merge(
                .cancel(id: 2).id(1, .oldest),
                stage.pending("y").id(1, .oldest)))
        #expect(stage.started.elements == ["y"])
        stage.settle("y")
        #expect(stage.got == ["y"])
    }
}

/// An effect stops only effects that earlier events have asked for, however late it begins.
@Suite struct EffectOrderTests {
    let stage = EffectTests.Stage()
    let scheduler = ManualScheduler()

    /// Asks for a prelude and then for an effect, which has to wait for the prelude.
    func runAfterPrelude(_ effect: Effect<EffectTests.Event>) {
        stage.run(.concatenate(stage.pending("prelude"), effect), as: "old")
    }

    @Test func aNewerEffectReplacesAnOlderOneThatHasNotBegun() {
        runAfterPrelude(stage.pending("old").id("x"))
        stage.run(stage.pending("new").id("x"))
        stage.settle("prelude")
        #expect(stage.started.elements == ["prelude", "new"])
        #expect(stage.cancelled.elements.isEmpty)
        #expect(stage.store.effectsUnderWay == 1)
    }

    @Test func anOlderEffectDoesNotBeginEvenIfTheNewerOneHasEnded() {
        runAfterPrelude(.concatenate(stage.pending("old").id("x"), stage.pending("last")))
        stage.run(stage.pending("new").id("x"))
        stage.settle("new")
        stage.settle("prelude")
        #expect(stage.started.elements == ["prelude", "new", "last"])
        #expect(stage.got == ["new", "prelude"])
    }

    @Test func aNewerEffectReplacesOlderOnesThatWaitForADelayOrATurn() {
        stage.run(stage.pending("first").id("turn"))
        stage.run(stage.pending("second").id("x").id("turn", .serial))
        stage.run(
            stage.pending("late").id("x").debounce(id: "delay", for: .seconds(1), on: scheduler))
        stage.run(stage.pending("new").id("x"))
        #expect(scheduler.isIdle)
        stage.settle("first")
        #expect(stage.started.elements == ["first", "new"])
        #expect(stage.store.effectsUnderWay == 1)
    }

    @Test(arguments: [EffectPolicy.oldest, .serial])
    func anOlderEffectGivesWayToANewerOneOfAnyPolicy(policy: EffectPolicy) {
        runAfterPrelude(.concatenate(stage.pending("old").id("x"), stage.pending("last")))
        stage.run(stage.pending("new").id("x", policy))
        stage.settle("prelude")
        #expect(stage.started.elements == ["prelude", "new", "last"])
        #expect(stage.cancelled.elements.isEmpty)
    }

    @Test func anOlderSerialEffectWaitsForANewerOne() {
        runAfterPrelude(stage.pending("old").id("x", .serial))
        stage.run(stage.pending("new").id("x", .serial))
        stage.settle("prelude")
        stage.settle("new")
        #expect(stage.got == ["prelude", "new"])
        #expect(stage.started.elements == ["prelude", "new", "old"])
    }

    @Test func anOlderThrottledEffectGivesWayToANewerOne() {
        let throttled = { (name: String) in
            stage.pending(name).throttle(id: "x", for: .seconds(1), on: scheduler)
        }
        runAfterPrelude(throttled("old"))
        stage.run(stage.pending("new").id("x", .serial))
        stage.settle("prelude")
        #expect(stage.started.elements == ["prelude", "new"])
        #expect(stage.cancelled.elements.isEmpty)
        #expect(scheduler.isIdle)
    }

    @Test func anOlderThrottledEffectDoesNotReplaceTheLatest() {
        let throttled = { (name: String) in
            stage.pending(name).throttle(id: "x", for: .seconds(1), on: scheduler)
        }
        stage.run(throttled("first"))
        runAfterPrelude(throttled("old"))
        stage.run(throttled("latest"))
        stage.settle("prelude")
        scheduler.run()
        #expect(stage.started.elements == ["first", "prelude", "latest"])
    }

    @Test func aCancellationLeavesANewerEffectAlone() {
        let timeLimit = stage.pending("time limit")
        stage.run(.merge(stage.pending("old").id("x"), .concatenate(timeLimit, .cancel(id: "x"))))
        stage.run(stage.pending("new").id("x"))
        #expect(stage.cancelled.elements == ["old"])
        stage.settle("time limit")
        #expect(stage.cancelled.elements == ["old"])
        #expect(stage.store.effectsUnderWay == 1)
    }

    @Test func aCancellationStopsAnEffectOfItsOwnEvent() {
        let timeLimit = stage.pending("time limit")
        stage.run(.merge(.concatenate(timeLimit, .cancel(id: "x")), stage.pending("old").id("x")))
        stage.settle("time limit")
        #expect(stage.cancelled.elements == ["old"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func aCancellationStopsTheOlderOnesOfAnIdAndLeavesTheNewer() {
        stage.run(stage.pending("old").id("x"))
        runAfterPrelude(.cancel(id: "x"))
        stage.run(stage.pending("new").id("x", .serial))
        #expect(stage.started.elements == ["old", "prelude"])
        stage.settle("prelude")
        #expect(stage.cancelled.elements == ["old"])
        #expect(stage.started.elements == ["old", "prelude", "new"])
        #expect(stage.store.effectsUnderWay == 1)
    }

    @Test func aCancellationLeavesTheIntervalThatANewerEffectWaitsFor() {
        let throttled = { (name: String) in
            stage.pending(name).throttle(id: "x", for: .seconds(1), on: scheduler)
        }
        stage.run(throttled("first"))
        runAfterPrelude(.cancel(id: "x"))
        stage.run(throttled("latest"))
        stage.settle("prelude")
        #expect(stage.cancelled.elements == ["first"])
        #expect(stage.started.elements == ["first", "prelude"])
        scheduler.advance(by: .seconds(1))
        #expect(stage.started.elements == ["first", "prelude", "latest"])
    }

    @Test func partsOfOneEffectReplaceEachOtherAsTheyBegin() {
        stage.run(
            .merge(
                stage.pending("a").id("x"),
                .concatenate(stage.pending("prelude"), stage.pending("b").id("x"))))
        stage.settle("prelude")
        #expect(stage.cancelled.elements == ["a"])
        #expect(stage.started.elements == ["a", "prelude", "b"])
    }

    @Test func anEffectAlsoReplacesWhatWaitsInAnotherPartOfItsOwnEffect() {
        stage.run(
            .merge(
                .concatenate(stage.pending("prelude"), stage.pending("a").id("x")),
                stage.pending("b").id("x")))
        stage.settle("prelude")
        #expect(stage.cancelled.elements.isEmpty)
        #expect(stage.started.elements == ["prelude", "b"])
    }
}

@Suite struct EffectInTimeTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()
    let scheduler = ManualScheduler()

    func now(_ name: String) -> Effect<Event> { .future(Future(value: .got(name))) }

    func debounced(_ effect: Effect<Event>) -> Effect<Event> {
        effect.debounce(id: "d", for: .milliseconds(300), on: scheduler)
    }

    func throttled(_ effect: Effect<Event>, latest: Bool = true) -> Effect<Event> {
        effect.throttle(id: "t", for: .seconds(1), latest: latest, on: scheduler)
    }

    @Test func aDebouncedEffectBeginsOnceItHasBeenQuiet() {
        stage.run(debounced(now("a")))
        scheduler.advance(by: .milliseconds(200))
        stage.run(debounced(now("b")))
        scheduler.advance(by: .milliseconds(299))
        #expect(stage.got.isEmpty)
        #expect(stage.store.effectsUnderWay == 1)
        scheduler.advance(by: .milliseconds(1))
        #expect(stage.got == ["b"])
        #expect(scheduler.isIdle)
    }

    @Test func aDebouncedEffectReplacesOneThatHasBegun() {
        stage.run(debounced(stage.pending("a")))
        scheduler.run()
        stage.run(debounced(stage.pending("b")))
        #expect(stage.cancelled.elements == ["a"])
        scheduler.run()
        stage.settle("a")
        stage.settle("b")
        #expect(stage.got == ["b"])
    }

    @Test func aDebouncedEffectCanBeCancelled() {
        stage.run(debounced(now("a")))
        stage.run(.cancel(id: "d"))
        #expect(scheduler.isIdle)
        scheduler.run()
        #expect(stage.got.isEmpty)
    }

    /// A scheduler that cancels the debounced effect while its timer is set.
    struct CancellingScheduler: FutureScheduler {
        let stage: EffectTests.Stage
        let timers: ManualScheduler

        var now: SchedulerInstant { timers.now }

        func schedule(
            after delay: Duration, _ action: @escaping @Sendable () -> Void
        ) -> any ScheduledAction {
            stage.run(.cancel(id: "d"), as: "cancel")
            return timers.schedule(after: delay, action)
        }
    }

    @Test func aTimerOfAnEffectThatIsCancelledMeanwhileIsCancelledOnceItIsSet() {
        let cancelling = CancellingScheduler(stage: stage, timers: scheduler)
        stage.run(now("a").debounce(id: "d", for: .seconds(1), on: cancelling))
        #expect(scheduler.isIdle)
    }

    @Test func theFirstThrottledEffectBeginsAtOnceAndTheLatestWhenTheIntervalEnds() {
        for name in ["a", "b", "c"] { stage.run(throttled(now(name))) }
        #expect(stage.got == ["a"])
        scheduler.advance(by: .milliseconds(999))
        #expect(stage.got == ["a"])
        scheduler.advance(by: .milliseconds(1))
        #expect(stage.got == ["a", "c"])
        stage.run(throttled(now("d")))
        #expect(stage.got == ["a", "c"])
        scheduler.advance(by: .seconds(1))
        #expect(stage.got == ["a", "c", "d"])
        scheduler.advance(by: .seconds(1))
        #expect(scheduler.isIdle)
        stage.run(throttled(now("e")))
        #expect(stage.got == ["a", "c", "d", "e"])
    }

    @Test func aThrottleWithoutTheLatestDropsAllEffectsThatComeMeanwhile() {
        for name in ["a", "b"] { stage.run(throttled(now(name), latest: false)) }
        scheduler.run()
        #expect(stage.got == ["a"])
        #expect(stage.store.effectsUnderWay == 0)
        stage.run(throttled(now("c"), latest: false))
        #expect(stage.got == ["a", "c"])
    }

    @Test func aThrottledEffectThatBeginsReplacesTheOneBefore() {
        stage.run(throttled(stage.pending("a")))
        stage.run(throttled(stage.pending("b")))
        #expect(stage.cancelled.elements.isEmpty)
        scheduler.advance(by: .seconds(1))
        #expect(stage.cancelled.elements == ["a"])
        #expect(stage.started.elements == ["a", "b"])
    }

    @Test func cancellingAThrottledEffectEndsItsInterval() {
        stage.run(throttled(now("a")))
        stage.run(throttled(now("b")))
        stage.run(.cancel(id: "t"))
        #expect(scheduler.isIdle)
        stage.run(throttled(now("c")))
        #expect(stage.got == ["a", "c"])
    }

    @Test func aNewerEffectThatReplacesAThrottledOneEndsItsInterval() {
        stage.run(throttled(now("a")))
        stage.run(stage.pending("b").id("t"))
        #expect(scheduler.isIdle)
        stage.run(throttled(now("c")))
        #expect(stage.got == ["a", "c"])
    }

    @Test func aThrottledOrDebouncedEffectThatIsNoneReplacesNothing() {
        stage.run(debounced(now("a")))
        stage.run(debounced(.none))
        stage.run(throttled(now("b")))
        stage.run(throttled(now("c")))
        stage.run(throttled(.none))
        scheduler.run()
        #expect(stage.got == ["b", "a", "c"])
    }

    @Test func aSequenceWaitsForItsThrottledEffect() {
        stage.run(throttled(now("a")))
        stage.run(.concatenate(throttled(now("b")), now("c")))
        #expect(stage.got == ["a"])
        scheduler.advance(by: .seconds(1))
        #expect(stage.got == ["a", "b", "c"])
    }

    @Test func theLatestThrottledAlsoReplacesWhatASequenceGoesOnWith() {
        stage.run(throttled(now("a")))
        stage.run(.concatenate(throttled(now("b")), throttled(now("c"))))
        stage.run(throttled(now("d")))
        scheduler.run()
        #expect(stage.got == ["a", "d"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func aThrottledEffectTakesAnIdThatASequenceHasTaken() {
        stage.run(throttled(now("a")))
        stage.run(.concatenate(throttled(now("b")), stage.pending("c").id("t")))
        stage.run(throttled(now("d")))
        #expect(stage.got == ["a", "d"])
        #expect(stage.store.effectsUnderWay == 0)
        scheduler.run()
        #expect(scheduler.isIdle)
        #expect(stage.got == ["a", "d"])
    }

    @Test func aThrottledEffectThatVanishesAsItsTurnComesPassesItsIdOn() {
        stage.run(throttled(now("a")))
        // Replacing b ends it, and the part after b cancels the replacement.
        stage.run(
            .merge(
                .concatenate(stage.pending("b").id("t", .serial), .cancel(id: "outer")),
                throttled(stage.pending("c")).id("outer")))
        stage.run(stage.pending("d").id("t", .serial))
        scheduler.run()
        #expect(stage.cancelled.elements == ["b"])
        #expect(stage.started.elements == ["b", "d"])
        stage.settle("d")
        #expect(stage.got == ["a", "d"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func aStoreThatGoesTakesItsTimersBack() {
        stage.run(debounced(now("a")))
        stage.run(throttled(now("b")))
        #expect(!scheduler.isIdle)
        stage.release()
        #expect(scheduler.isIdle)
    }
}

@Suite struct EffectIDTests {
    /// The events of two effects whose ids are `first` and `second`, both under way at once.
    func events(
        _ first: some Hashable & Sendable, _ second: some Hashable & Sendable
    ) -> [String] {
        let (one, two) = (Promise<String>(), Promise<String>())
        let store = Store<[String], String>(
            initialState: [],
            reducer: Reducer(effects: { state, event in
                state.append(event)
                switch event {
                case "begin": return .merge(.future(one).id(first), .future(two).id(second))
                default: return .none
                }
            }))
        store.dispatch("begin")
        one.resolve(with: "1")
        two.resolve(with: "2")
        return store.state
    }

    @Test func idsOfDifferentTypesAreDifferentIds() {
        let both = ["begin", "1", "2"]
        #expect(events(1, 1.0) == both)
        #expect(events(1, UInt8(1)) == both)
        #expect(events(1.0, UInt8(1)) == both)
        #expect(events("1", 1) == both)
        #expect(events(1, 2) == both)
        #expect(events(1, 1) == ["begin", "2"])
        #expect(events("a", "a") == ["begin", "2"])
        #expect(events(Optional(1), 1) == both)
    }
}
