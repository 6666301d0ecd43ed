import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime) struct EffectRunTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()
    let lines = AsyncStream<String>.makeStream()

    /// An effect that dispatches each line until there are no more.
    var reading: Effect<Event> {
        let lines = lines.stream
        return .run { send in
            for await line in lines { send(.got(line)) }
        }
    }

    @Test func anEffectsOperationDispatchesWhileItRuns() async {
        stage.run(.concatenate(reading, stage.pending("next")))
        lines.continuation.yield("a")
        #expect(await comesTrue { stage.got == ["a"] })
        #expect(stage.started.elements.isEmpty)
        lines.continuation.yield("b")
        lines.continuation.finish()
        #expect(await comesTrue { stage.started.elements == ["next"] })
        #expect(stage.got == ["a", "b"])
        #expect(stage.store.effectsUnderWay == 1)
    }

    @Test func anEffectsOperationIsCancelledWithItsEffect() async {
        let (stage, ended) = (stage, TestLog<Bool>())
        stage.run(
            Effect.run { send in
                for await line in self.lines.stream { send(.got(line)) }
                ended.append(Task.isCancelled)
                send(.got("late"))
            }.id("lines"))
        lines.continuation.yield("a")
        #expect(await comesTrue { stage.got == ["a"] })
        stage.run(.cancel(id: "lines"))
        #expect(stage.store.effectsUnderWay == 0)
        #expect(await comesTrue { !ended.elements.isEmpty })
        #expect(ended.elements == [true])
        #expect(stage.got == ["a"])
        #expect(stage.failures.elements.isEmpty)
    }

    @Test func anEventThatAnEffectsOperationSendsAfterItsEndIsDropped() async {
        let kept = Locked<Effect<Event>.Send?>(nil)
        stage.run(.run { send in kept.withLock { $0 = send } })
        #expect(await comesTrue { stage.store.effectsUnderWay == 0 })
        kept.withLock { $0 }?(.got("late"))
        #expect(stage.got.isEmpty)
    }

    @Test func anErrorOfAnEffectsOperationIsReportedUnlessItIsCaught() async {
        let stage = stage
        stage.run(.run { _ in throw EffectTests.Failed(name: "x") })
        #expect(await comesTrue { stage.failures.elements == ["Failed(name: \"x\")"] })
        stage.run(
            .run { send in
                send(.got("a"))
                throw EffectTests.Failed(name: "y")
            } catch: { error, send in
                send(.got("\((error as? EffectTests.Failed)?.name ?? "")"))
            })
        stage.run(
            .run { _ in
                throw CancellationError()
            } catch: { _, send in
                send(.got("no"))
            })
        #expect(await comesTrue { stage.store.effectsUnderWay == 0 })
        #expect(stage.got == ["a", "y"])
        #expect(stage.failures.elements.count == 1)
    }

    @Test func aReleasedStoreCancelsItsEffectsOperationAndIsNotKeptByIt() async {
        let ended = TestLog<Bool>()
        let stream = lines.stream
        stage.run(
            .run { _ in
                for await _ in stream {}
                ended.append(Task.isCancelled)
            })
        weak let gone = stage.store
        stage.release()
        #expect(gone == nil)
        #expect(await comesTrue { ended.elements == [true] })
    }

    @Test func eventsOfAnEffectsOperationAreMappedAndGoThroughTheMiddleware() async {
        let seen = TestLog<String>()
        let middleware = StoreMiddleware<[String], String> { _ in
            { next in
                { event in
                    seen.append(event)
                    next(event)
                }
            }
        }
        let kept = Locked<Effect<Int>.Send?>(nil)
        let numbers = Effect<Int>.run { send in
            kept.withLock { $0 = send }
            send(1)
            send(2)
        }
        let store = Store<[String], String>(
            initialState: [],
            reducer: Reducer(effects: { state, event in
                state.append(event)
                return event == "go" ? numbers.map { "\($0)" } : .none
            }), middleware: [middleware])
        store.dispatch("go")
        #expect(await comesTrue { store.effectsUnderWay == 0 })
        #expect(store.state == ["go", "1", "2"])
        kept.withLock { $0 }?(3)
        #expect(seen.elements == ["go", "1", "2"])
    }
}

@Suite(.oneAtATime) struct EffectEventsTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()

    @Test func eachElementOfAnEffectsSequenceIsAnEvent() async {
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

    @Test func anEffectsSequenceIsMadeWhenTheEffectBeginsAndCancelledWithIt() async {
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

    @Test func anEffectWhoseSequenceThrowsHasFailed() async {
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

@Suite(.oneAtATime) struct EffectFireAndForgetTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()

    @Test func anEffectThatIsFiredAndForgottenDispatchesNoEvent() {
        let done = Promise<Int>()
        stage.run(.concatenate(.fireAndForget(done), stage.pending("next")))
        #expect(stage.store.effectsUnderWay == 1)
        #expect(stage.started.elements.isEmpty)
        done.resolve(with: 7)
        #expect(stage.started.elements == ["next"])
        #expect(stage.got.isEmpty)
    }

    @Test func aFailureOfAForgottenEffectIsReportedUnlessItIsCaught() {
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

    @Test func aForgottenEffectIsCancelledByItsID() {
        let cancelled = TestLog<Int>()
        let done = Promise<Int>()
        done.onCancel { cancelled.append(1) }
        let effect = Effect<Event>.fireAndForget(done).id("x")
        stage.run(effect)
        stage.run(.cancel(id: "x"))
        #expect(cancelled.elements == [1])
    }

    @Test func aForgottenEffectMayBeAnOperation() async {
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
