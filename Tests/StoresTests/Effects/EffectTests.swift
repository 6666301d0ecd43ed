import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime) struct EffectTests {
    enum Event: Equatable, Sendable {
        case run(String)
        case got(String)
    }

    struct Failed: Error, Equatable { var name = "" }

    /// A store that runs the effect that the test has defined for a name, and records the events.
    final class Stage: Sendable {
        let effects = Locked<[String: Effect<Event>]>([:])
        let promises = Locked<[String: Promise<Event>]>([:])
        let cancelled = TestLog<String>()
        let started = TestLog<String>()
        let failures = TestLog<String>()
        private let held: Locked<Store<[String], Event>?> = Locked(nil)

        var store: Store<[String], Event> { held.withLock { $0! } }
        var got: [String] { store.state }

        init() {
            let effects = effects
            let failures = failures
            let store = Store<[String], Event>(
                initialState: [],
                reducer: Reducer(effects: { state, event in
                    switch event {
                    case .run(let name): return effects.withLock { $0[name] ?? .none }
                    case .got(let text):
                        state.append(text)
                        return .none
                    }
                }), onFailure: { failures.append("\($0)") })
            held.withLock { $0 = store }
        }

        /// An effect that waits for `settle`, and records its start and its cancellation.
        func pending(_ name: String) -> Effect<Event> {
            .future { [self] in
                started.append(name)
                let promise = Promise<Event>()
                promise.onCancel { [cancelled] in cancelled.append(name) }
                promises.withLock { $0[name] = promise }
                return promise
            }
        }

        func run(_ effect: Effect<Event>, as name: String = "effect") {
            effects.withLock { $0[name] = effect }
            store.dispatch(.run(name))
        }

        func settle(_ name: String) {
            promises.withLock { $0[name] }?.resolve(with: .got(name))
        }

        func fail(_ name: String) {
            promises.withLock { $0[name] }?.reject(with: Failed(name: name))
        }

        func release() { held.withLock { $0 = nil } }
    }

    let stage = Stage()

    /// The task may carry out the effects of events that others have dispatched.
    @Test func anEffectsCallIsMadeInACancelledTask() async {
        _ = await inCancelledTask {
            stage.run(.future { .unlessCancelled { Future(value: .got("now")) } })
        }
        #expect(stage.got == ["now"])
    }

    @Test func theEventOfAnEffectsFutureIsDispatched() {
        stage.run(.none)
        stage.run(.future(Future(value: .got("now"))))
        stage.run(stage.pending("later"))
        #expect(stage.got == ["now"])
        #expect(stage.store.effectsUnderWay == 1)
        stage.settle("later")
        #expect(stage.got == ["now", "later"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func anEffectBeginsAfterTheObserversWereToldOfItsState() {
        let order = TestLog<String>()
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: Reducer(effects: { state, event in
                state += event
                return event == 1
                    ? .future {
                        order.append("begun")
                        return Future(value: 10)
                    } : .none
            }))
        store.subscribe { _, new in order.append("told \(new)") }
        store.dispatch(1)
        #expect(order.elements == ["told 0", "told 1", "begun", "told 11"])
        #expect(store.state == 11)
    }

    @Test func theFutureOfAnEffectIsMadeWhenTheEffectBegins() {
        let made = TestLog<Int>()
        @Sendable func future() -> Future<Event> {
            made.append(1)
            return Future(value: .got("x"))
        }
        let effect = Effect<Event>.future(future())
        #expect(made.elements.isEmpty)
        stage.run(effect)
        stage.run(effect)
        #expect(made.elements.count == 2)
    }

    @Test func aRequestEffectMakesAnEventOfSuccessAndOfFailure() {
        let event: @Sendable (Result<Int, any Error>) -> Event = { result in
            switch result {
            case .success(let value): .got("\(value)")
            case .failure(let error): .got("\(error is Failed)")
            }
        }
        stage.run(.request(Future(value: 7), event))
        stage.run(.request(Future<Int>(error: Failed()), event))
        #expect(stage.got == ["7", "true"])
        #expect(stage.failures.elements.isEmpty)
    }

    @Test func anEffectsFailureWithoutAnEventIsReportedAndACancellationIsNot() {
        stage.run(.future(Future(error: Failed(name: "x"))))
        stage.run(.future(Future(error: CancellationError())))
        #expect(stage.failures.elements == ["Failed(name: \"x\")"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    /// A future that cancels the effect "x" while it is made.
    func cancelledWhileItIsMade() -> Future<Event> {
        stage.run(.cancel(id: "x"), as: "cancel")
        let promise = Promise<Event>()
        promise.onCancel { [cancelled = stage.cancelled] in cancelled.append("x") }
        stage.promises.withLock { $0["x"] = promise }
        return promise
    }

    @Test func aFutureOfAnEffectThatIsCancelledMeanwhileIsCancelledOnceItIsMade() {
        stage.run(Effect.future(cancelledWhileItIsMade()).id("x"))
        #expect(stage.cancelled.elements == ["x"])
    }

    @Test func anOperationOfAnEffectThatIsCancelledMeanwhileIsCancelledOnceItIsMade() {
        stage.run(Effect.fireAndForget(cancelledWhileItIsMade()).id("x"))
        #expect(stage.cancelled.elements == ["x"])
    }

    @Test func mergedEffectsRunAtOnce() {
        stage.run(.merge(stage.pending("a"), .none, stage.pending("b")))
        #expect(stage.started.elements == ["a", "b"])
        stage.settle("b")
        stage.settle("a")
        #expect(stage.got == ["b", "a"])
        #expect(Effect<Event>.merge().isNoneForTests)
    }

    @Test func concatenatedEffectsWaitForEachOther() {
        stage.run(.concatenate(stage.pending("a"), stage.pending("b"), stage.pending("c")))
        #expect(stage.started.elements == ["a"])
        stage.settle("a")
        #expect(stage.started.elements == ["a", "b"])
        stage.fail("b")
        #expect(stage.started.elements == ["a", "b", "c"])
        stage.settle("c")
        #expect(stage.got == ["a", "c"])
    }

    @Test func aSequenceGoesOnAfterTheLastEffectOfAMerge() {
        stage.run(
            .concatenate(.merge(stage.pending("a"), stage.pending("b")), stage.pending("c")))
        stage.settle("a")
        #expect(stage.started.elements == ["a", "b"])
        stage.settle("b")
        #expect(stage.started.elements == ["a", "b", "c"])
    }

    @Test func aLongSequenceOfSettledFuturesNeedsNoStack() {
        let many = (0..<20_000).map { _ in Effect<Event>.future(Future(value: .run("nothing"))) }
        stage.run(.concatenate(many + [.future(Future(value: .got("end")))]))
        #expect(stage.got == ["end"])
    }

    @Test func theNewestEffectReplacesTheOthersAndTheirLateResultsAreDropped() {
        stage.run(stage.pending("a").id(1))
        stage.run(stage.pending("b").id(1))
        #expect(stage.cancelled.elements == ["a"])
        stage.settle("a")
        stage.settle("b")
        #expect(stage.got == ["b"])
    }

    @Test func aLateResultOfAFutureThatCannotBeCancelledIsDropped() {
        // Another observer waits for it too, so giving up the effect does not cancel it.
        let shared = Promise<Event>()
        let other = shared.map { $0 }
        stage.run(Effect.future(shared).id("x"))
        stage.run(.cancel(id: "x"))
        shared.resolve(with: .got("late"))
        #expect(stage.got.isEmpty)
        #expect(throws: Never.self) { try other.result?.get() }
        #expect(other.result != nil)
    }

    @Test func aReplacedEffectIsDroppedFromTheMomentThatTheStateIsMade() {
        // The old answer arrives while observers are still being notified of the event that replaces the
        // effect.
        let stage = stage
        stage.run(stage.pending("a").id(1))
        stage.effects.withLock { $0["b"] = stage.pending("b").id(1) }
        stage.store.subscribe { old, _ in if old != nil { stage.settle("a") } }
        stage.store.dispatch(.run("b"))
        #expect(stage.got.isEmpty)
        #expect(stage.started.elements == ["a", "b"])
    }

    @Test func theOldestEffectKeepsOthersFromBeginning() {
        stage.run(stage.pending("a").id(1, .oldest))
        stage.run(stage.pending("b").id(1, .oldest))
        stage.settle("a")
        stage.run(stage.pending("c").id(1, .oldest))
        stage.settle("c")
        #expect(stage.started.elements == ["a", "c"])
        #expect(stage.got == ["a", "c"])
        #expect(stage.cancelled.elements.isEmpty)
    }

    @Test func serialEffectsRunOneAfterAnother() {
        for name in ["a", "b", "c"] { stage.run(stage.pending(name).id(1, .serial)) }
        #expect(stage.started.elements == ["a"])
        #expect(stage.store.effectsUnderWay == 3)
        stage.settle("a")
        stage.fail("b")
        stage.settle("c")
        #expect(stage.started.elements == ["a", "b", "c"])
        #expect(stage.got == ["a", "c"])
    }

    @Test func cancellingAnIdEndsItsRunningAndItsWaitingEffects() {
        for name in ["a", "b"] { stage.run(stage.pending(name).id(1, .serial)) }
        stage.run(stage.pending("other").id("1"))
        stage.run(.cancel(id: 1))
        stage.run(.cancel(id: 1))
        #expect(stage.cancelled.elements == ["a"])
        #expect(stage.started.elements == ["a", "other"])
        #expect(stage.store.effectsUnderWay == 1)
        stage.run(stage.pending("c").id(1, .serial))
        #expect(stage.started.elements == ["a", "other", "c"])
    }

    @Test func aSequenceGoesOnAfterItsCancelledEffect() {
        stage.run(.concatenate(stage.pending("a").id(1), stage.pending("b")))
        stage.run(.cancel(id: 1))
        #expect(stage.started.elements == ["a", "b"])
        #expect(stage.cancelled.elements == ["a"])
    }

    @Test func theNewestEffectAlsoReplacesTheLaterEffectsOfASequence() {
        stage.run(.concatenate(stage.pending("a").id(1), stage.pending("b").id(1)))
        stage.run(stage.pending("c").id(1))
        #expect(stage.started.elements == ["a", "c"])
        #expect(stage.store.effectsUnderWay == 1)
        stage.run(.cancel(id: 1))
        #expect(stage.cancelled.elements == ["a", "c"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func anEffectWithTheSameIdTwiceNeitherReplacesNorWaitsForItself() {
        stage.run(stage.pending("a").id(1).id(1))
        stage.run(stage.pending("b").id(2, .serial).id(2, .serial))
        #expect(stage.started.elements == ["a", "b"])
        stage.settle("a")
        stage.settle("b")
        #expect(stage.got == ["a", "b"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func anEffectMayCancelTheSequenceThatItIsPartOf() {
        stage.run(.concatenate(stage.pending("a"), .cancel(id: 1), stage.pending("b")).id(1))
        stage.settle("a")
        #expect(stage.started.elements == ["a"])
        #expect(stage.store.effectsUnderWay == 0)
        stage.run(stage.pending("c").id(1, .oldest))
        #expect(stage.started.elements == ["a", "c"])
    }

    @Test func theIdsOfEffectsBelongToOneStore() {
        let other = Stage()
        stage.run(stage.pending("a").id("same"))
        other.run(other.pending("b").id("same"))
        other.run(.cancel(id: "same"))
        #expect(stage.cancelled.elements.isEmpty)
        #expect(other.cancelled.elements == ["b"])
        stage.settle("a")
        #expect(stage.got == ["a"])
    }

    @Test func aReleasedStoreCancelsItsEffectsAndIsNotKeptByThem() {
        stage.run(stage.pending("a"))
        stage.run(.concatenate(stage.pending("b"), stage.pending("never")))
        weak let gone = stage.store
        stage.release()
        #expect(gone == nil)
        #expect(stage.cancelled.elements == ["a", "b"])
        stage.settle("a")
        #expect(stage.started.elements == ["a", "b"])
    }

    @Test func aMappedEffectDoesTheSameWithAnotherEvent() {
        let scheduler = ManualScheduler()
        let answer = Effect<Int>.request(Future(value: 1)) { (try? $0.get()) ?? 0 }
        let all = Effect.merge(
            answer, .concatenate(answer, answer), answer.id("x"), .none, .cancel(id: "y"),
            answer.debounce(id: "z", for: .seconds(1), on: scheduler),
            answer.throttle(id: "t", for: .seconds(1), on: scheduler))
        stage.run(all.map { Event.got("\($0)") })
        #expect(stage.got.count == 5)
        scheduler.run()
        #expect(stage.got == Array(repeating: "1", count: 6))
    }

    @Test func eventsOfEffectsFromManyThreadsAllArrive() {
        let promises = (0..<400).map { _ in Promise<Event>() }
        for promise in promises { stage.run(.future(promise)) }
        onThreads(4) { thread in
            for index in 0..<100 { promises[thread * 100 + index].resolve(with: .got("\(index)")) }
        }
        #expect(stage.got.count == 400)
        #expect(stage.store.effectsUnderWay == 0)
    }
}

extension Effect {
    fileprivate var isNoneForTests: Bool { "\(self)".contains("none") }
}

/// A group keeps its id until the last of its parts has ended, however its parts affect each other.
@Suite struct EffectTogetherTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()

    /// Two parts with one id: the second replaces the first while the group is being begun.
    var screen: Effect<Event> {
        .merge(stage.pending("first").id("page"), stage.pending("second").id("page"))
    }

    @Test
    func aGroupWhosePartReplacesAnotherCanBeCancelled() {
        stage.run(screen.id("screen"))
        #expect(stage.store.effectsUnderWay == 1)
        stage.run(.cancel(id: "screen"))
        #expect(stage.cancelled.elements == ["second"])
        #expect(stage.store.effectsUnderWay == 0)
    }

    @Test func aGroupWhosePartCancelsAnotherGoesOnWithTheOthers() {
        stage.run(
            .merge(stage.pending("a").id("page"), .cancel(id: "page"), stage.pending("b"))
                .id("screen"))
        #expect(stage.started.elements == ["b"])
        stage.run(.cancel(id: "screen"))
        #expect(stage.cancelled.elements == ["b"])
    }

    @Test func theNewestEffectReplacesAGroupWhosePartHasReplacedAnother() {
        stage.run(screen.id("screen"))
        stage.run(stage.pending("next").id("screen"))
        #expect(stage.cancelled.elements == ["second"])
        stage.settle("second")
        #expect(stage.got.isEmpty)
    }

    @Test func anEffectOfTheOldestPolicyGivesWayToAGroupWhosePartHasReplacedAnother() {
        stage.run(screen.id("screen"))
        stage.run(stage.pending("next").id("screen", .oldest))
        #expect(stage.started.elements == ["second"])
    }

    @Test func aSerialEffectWaitsForAGroupWhosePartHasReplacedAnother() {
        stage.run(screen.id("screen", .serial))
        stage.run(stage.pending("next").id("screen", .serial))
        #expect(stage.started.elements == ["second"])
        stage.settle("second")
        #expect(stage.started.elements == ["second", "next"])
    }

    @Test func aSequenceWaitsForAGroupWhosePartHasReplacedAnother() {
        stage.run(.concatenate(screen, stage.pending("next")))
        #expect(stage.started.elements == ["second"])
        stage.settle("second")
        #expect(stage.started.elements == ["second", "next"])
    }

    @Test func theLastEffectOfAMergeIsTheNewest() {
        stage.run(
            .merge(
                stage.pending("a").id(1), stage.pending("b").id(1), stage.pending("c").id(1)))
        #expect(stage.started.elements == ["c"])
        stage.settle("c")
        #expect(stage.got == ["c"])
    }

    @Test func aFeedbackEndsAGroupWhosePartHasReplacedAnother() {
        let screen = screen
        let store = Store<Int, Event>(
            initialState: 1,
            reducer: Reducer { state, event in event == .run("end") ? 0 : state },
            feedback: [
                Feedback {
                    $0 == 1 ? $0 : nil
                } effect: { _ in
                    screen
                }
            ])
        #expect(stage.started.elements == ["second"])
        store.dispatch(.run("end"))
        #expect(stage.cancelled.elements == ["second"])
        #expect(store.effectsUnderWay == 0)
    }
}
