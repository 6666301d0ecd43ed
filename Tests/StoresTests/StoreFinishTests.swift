import PledgeFutures
import TestSupport
import Testing

@testable import PledgeStores

@Suite struct StoreFinishTests {
    typealias Event = EffectTests.Event

    let stage = EffectTests.Stage()
    let scheduler = ManualScheduler()

    func finish() -> Future<Void> { stage.store.finish(within: .seconds(5), on: scheduler) }

    func isDone(_ future: Future<Void>) -> Bool {
        if case .success? = future.result { true } else { false }
    }

    @Test func aStoreWithoutEffectsIsFinishedAtOnce() {
        #expect(isDone(finish()))
        #expect(scheduler.isIdle)
    }

    @Test func finishingAStoreWaitsForTheEffectsOfAnEffectsEvents() {
        stage.effects.withLock { $0["second"] = stage.pending("second") }
        let first = Promise<Event>()
        stage.run(.future(first))
        let done = finish()
        first.resolve(with: .run("second"))
        #expect(!done.isSettledForTests)
        stage.settle("second")
        #expect(isDone(done))
        #expect(scheduler.isIdle)
    }

    @Test func finishingAStoreIsDoneAfterTheObserversWereTold() {
        let order = TestLog<String>()
        stage.run(stage.pending("a"))
        stage.store.subscribe { _, new in order.append("\(new)") }
        finish().observe { _ in order.append("finished") }
        stage.settle("a")
        #expect(order.elements == ["[]", "[\"a\"]", "finished"])
    }

    @Test func finishingAStoreNamesTheEffectsUnderWayWhenTheTimeIsOver() throws {
        stage.run(stage.pending("a").id("page").id("screen"))
        stage.run(stage.pending("b").id("screen", .serial))
        stage.run(stage.pending("c"))
        stage.run(
            stage.pending("d").debounce(id: 7, for: .seconds(60), on: ManualScheduler()))
        let done = finish()
        scheduler.advance(by: .seconds(5))
        let error = #expect(throws: EffectsUnfinished.self) { try done.result?.get() }
        #expect(
            error?.description == """
                4 effects of the store have not ended within 5.0 seconds:
                  - "screen" > "page"
                  - "screen", which waits for its turn
                  - an effect without an id
                  - 7, which waits for its time
                """)
        #expect(stage.cancelled.elements.isEmpty)
    }

    @Test func finishingAStoreNamesAFeedbackAsOne() {
        let pending = stage.pending("a")
        let store = Store<Int, Event>(
            initialState: 0, reducer: Reducer { state, _ in state },
            feedback: [
                Feedback {
                    $0
                } effect: { _ in
                    pending
                }
            ])
        let done = store.finish(within: .seconds(1), on: scheduler)
        scheduler.run()
        let error = #expect(throws: EffectsUnfinished.self) { try done.result?.get() }
        #expect(error?.effects == ["a feedback"])
        #expect(error?.duration == .seconds(1))
    }

    @Test func cancellingAWaitForAStoresEffectsCancelsNoEffect() {
        stage.run(stage.pending("a"))
        let done = finish()
        done.cancel()
        #expect(scheduler.isIdle)
        #expect(stage.cancelled.elements.isEmpty)
        stage.settle("a")
        #expect(throws: CancellationError.self) { try done.result?.get() }
        #expect(isDone(finish()))
    }

    @Test func aReleasedStoreHasFinished() {
        stage.run(stage.pending("a"))
        let done = finish()
        stage.release()
        #expect(stage.cancelled.elements == ["a"])
        #expect(isDone(done))
    }

    @Test func finishingAStoreWaitsForAnEventOnItsWayThroughTheMiddleware() {
        let results = TestLog<Bool>()
        let scheduler = scheduler
        let middleware = StoreMiddleware<Int, Int> { _ in
            { next in
                { event in
                    if event == 2, let store = StoreFinishTests.held.withLock({ $0 }) {
                        let done = store.finish(within: .seconds(1), on: scheduler)
                        results.append(done.isSettledForTests)
                        done.observe { _ in results.append(true) }
                    }
                    next(event)
                }
            }
        }
        let answer = Promise<Int>()
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: Reducer(effects: { state, event in
                state += event
                return event == 1 ? .future(answer) : .none
            }), middleware: [middleware])
        Self.held.withLock { $0 = store }
        store.dispatch(1)
        answer.resolve(with: 2)
        Self.held.withLock { $0 = nil }
        #expect(results.elements == [false, true])
        #expect(store.state == 3)
    }

    private static let held = Locked<Store<Int, Int>?>(nil)

    /// A store behind middleware, whose events may have effects, and a log of what it reduces.
    final class Behind: Sendable {
        let log = TestLog<String>()
        let held = Locked<Store<Int, Int>?>(nil)
        let scheduler = ManualScheduler()

        var store: Store<Int, Int> { held.withLock { $0! } }

        /// - Parameters:
        ///   - effects: The effect of an event, if it has one.
        ///   - before: Called by the middleware before it passes an event on.
        init(
            _ effects: @escaping @Sendable (Int) -> Effect<Int>,
            before: @escaping @Sendable (Int, DispatchContext<Int, Int>) -> Void = { _, _ in }
        ) {
            let middleware = StoreMiddleware<Int, Int> { context in
                { next in
                    { event in
                        before(event, context)
                        next(event)
                    }
                }
            }
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: Reducer(effects: { [log] _, event in
                    log.append("reduce \(event)")
                    return effects(event)
                }), middleware: [middleware])
            held.withLock { $0 = store }
        }

        func finish() -> Future<Void> {
            let done = store.finish(within: .seconds(5), on: scheduler)
            done.observe { [log] _ in log.append("finished") }
            return done
        }
    }

    @Test func finishingAStoreWithMiddlewareIsDoneAfterTheEventIsReduced() {
        let answer = Promise<Int>()
        let behind = Behind { $0 == 1 ? .future(answer) : .none }
        behind.store.dispatch(1)
        let done = behind.finish()
        answer.resolve(with: 2)
        #expect(behind.log.elements == ["reduce 1", "reduce 2", "finished"])
        #expect(isDone(done))
    }

    @Test func finishingAStoreWithMiddlewareWaitsForTheEffectThatTheEventBegins() {
        let (first, second) = (Promise<Int>(), Promise<Int>())
        let behind = Behind { $0 == 1 ? .future(first) : $0 == 2 ? .future(second) : .none }
        behind.store.dispatch(1)
        let done = behind.finish()
        first.resolve(with: 2)
        #expect(!done.isSettledForTests)
        second.resolve(with: 3)
        #expect(isDone(done))
    }

    @Test func finishingAStoreWaitsForAnEventThatACancelledOperationHasSent() {
        let send = Locked<Effect<Int>.Send?>(nil)
        let end = Promise<Void>()
        let behind = Behind(
            { event in
                switch event {
                case 1:
                    Effect(
                        .run {
                            let sending = $0
                            send.withLock { $0 = sending }
                            return end
                        }
                    ).id("x")
                case 3: .cancel(id: "x")
                default: .none
                }
            }, before: { if $0 == 2 { $1.dispatch(3) } })
        behind.store.dispatch(1)
        let done = behind.finish()
        send.withLock { $0 }?(2)
        #expect(behind.log.elements == ["reduce 1", "reduce 3", "reduce 2", "finished"])
        #expect(isDone(done))
    }

    @Test func aStoreReleasedWhileAnEventIsInTheMiddlewareHasFinished() {
        let answer = Promise<Int>()
        let held = Locked<Behind?>(nil)
        let done = {
            let behind = Behind(
                { $0 == 1 ? .future(answer) : .none },
                before: { event, _ in
                    if event == 2 { held.withLock { $0 }?.held.withLock { $0 = nil } }
                })
            held.withLock { $0 = behind }
            behind.store.dispatch(1)
            return behind.finish()
        }()
        answer.resolve(with: 2)
        held.withLock { $0 = nil }
        #expect(isDone(done))
    }

    @Test func theEndOfAStoresEffectsCanBeAwaited() async throws {
        let stage = stage
        stage.run(.run { send in send(.got("a")) })
        // The time does not move: the task of the effect may have to wait for its turn.
        try await stage.store.finish(within: .seconds(60), on: ManualScheduler()).value
        #expect(stage.got == ["a"])
    }
}

extension Future {
    fileprivate var isSettledForTests: Bool { result != nil }
}
