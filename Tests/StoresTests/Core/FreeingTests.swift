import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

/// Objects captured by users' closures may use the store in their deinit: no lock is held then.
@Suite(.oneAtATime) struct FreeingTests {
    /// Whether a function returns; a function that waits for itself stays blocked.
    func returns(_ body: @escaping @Sendable () -> Void) -> Bool {
        let done = DispatchSemaphore(value: 0)
        Thread {
            body()
            done.signal()
        }.start()
        return done.wait(timeout: .watchdog) == .success
    }

    @Test func anObserverThatIsUnsubscribedWhileTheQueueIsWorkedOff() {
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: Reducer(effects: { state, event in
                state += event
                return .none
            }))
        let isDone = returns {
            let id = Locked<UUID?>(nil)
            store.subscribe { [unowned store] _, new in
                guard new == 1 else { return }
                store.unsubscribe(id.withLock { $0! })
                store.dispatch(event: 1)
            }
            do {
                let end = OnDeinit { [weak store] in store?.dispatch(event: 100) }
                id.withLock { $0 = store.subscribe { _, _ in end.use() } }
            }
            store.dispatch(event: 1)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 102) }
    }

    @Test func aMiddlewareOfAStoreThatGoes() {
        let last = TestLog<Int>()
        let middleware = StoreMiddleware<Int, Int> { context in
            let end = OnDeinit {
                context.dispatch(event: 1)
                last.append(context.state)
            }
            return { next in
                { event in
                    end.use()
                    next(event)
                }
            }
        }
        let isDone = returns {
            let store = Store(
                initialState: 0, reducer: Reducer { $0 + $1 }, middleware: [middleware])
            store.dispatch(event: 7)
        }
        #expect(isDone)
        #expect(last.elements == [7])
    }

    /// A store in which event 1 has an effect that is made once and not kept, and event 5 cancels it.
    func makeStore(_ effect: (OnDeinit) -> Effect<Int>) -> Store<Int, Int> {
        let once = Locked<Effect<Int>>(.none)
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: Reducer(effects: { state, event in
                state += event
                switch event {
                case 1:
                    return once.withLock { effect in
                        defer { effect = .none }
                        return effect
                    }
                case 5: return .cancel(id: "x")
                default: return .none
                }
            }))
        let end = OnDeinit { [weak store] in store?.dispatch(event: 100) }
        once.withLock { $0 = effect(end) }
        return store
    }

    @Test func aSequenceThatEnds() {
        let gate = Promise<Int>()
        let store = makeStore { end in
            .concatenate(
                .future {
                    end.use()
                    return gate
                }, .future(Future(value: 10)))
        }
        let isDone = returns {
            store.dispatch(event: 1)
            gate.resolve(with: 2)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 113) }
    }

    @Test func anEffectThatIsCancelledBeforeItBegins() {
        let scheduler = ManualScheduler()
        let store = makeStore { end in
            Effect.future {
                end.use()
                return Future(value: 10)
            }.debounce(id: "x", for: .seconds(1), on: scheduler)
        }
        let isDone = returns {
            store.dispatch(event: 1)
            store.dispatch(event: 5)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 106) }
    }

    @Test func anEffectThatIsNotBegunSinceAnOlderOneRuns() {
        let gate = Promise<Int>()
        let store = makeStore { end in
            .merge(
                Effect.future(gate).id("x"),
                Effect.future {
                    end.use()
                    return Future(value: 10)
                }.id("x", .oldest))
        }
        let isDone = returns { store.dispatch(event: 1) }
        #expect(isDone)
        if isDone { #expect(store.state == 101) }
        gate.resolve(with: 0)
    }

    /// An id that is equal only to itself, and uses the store in its deinit.
    final class ID: Hashable, Sendable {
        let end: OnDeinit

        init(_ end: OnDeinit) { self.end = end }

        static func == (left: ID, right: ID) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    @Test(arguments: [EffectPolicy.newest, .oldest, .serial])
    func theIdOfAnEffectThatEnds(policy: EffectPolicy) {
        let gate = Promise<Int>()
        let store = makeStore { end in Effect.future { gate }.id(ID(end), policy) }
        let isDone = returns {
            store.dispatch(event: 1)
            gate.resolve(with: 2)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 103) }
    }

    @Test func anOperationThatIsReplaced() {
        let gate = Promise<Int>()
        let store = makeStore { end in
            Effect.fireAndForget(gate.always { end.use() }).id("x")
        }
        let isDone = returns {
            store.dispatch(event: 1)
            store.dispatch(event: 5)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 106) }
        gate.resolve(with: 0)
    }

    @Test func anOperationThatEnds() {
        let gate = Promise<Int>()
        let store = makeStore { end in .fireAndForget(gate.always { end.use() }) }
        let isDone = returns {
            store.dispatch(event: 1)
            gate.resolve(with: 0)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 101) }
    }

    /// A scheduler whose timers use the store in their deinit, and fire when the test says so.
    final class TimerScheduler: Scheduler {
        let store = Locked<Store<Int, Int>?>(nil)
        private let actions = Locked<[@Sendable () -> Void]>([])

        var now: SchedulerInstant { SchedulerInstant(offset: .zero) }

        func schedule(
            after delay: Duration, _ action: @escaping @Sendable () -> Void
        ) -> any ScheduledAction {
            actions.withLock { $0.append(action) }
            return Timer(OnDeinit { [store] in _ = store.withLock { $0 }?.state })
        }

        func fire() {
            let actions = actions.withLock { actions in
                defer { actions = [] }
                return actions
            }
            for action in actions { action() }
        }

        private final class Timer: ScheduledAction {
            let end: OnDeinit

            init(_ end: OnDeinit) { self.end = end }

            func cancel() {}
        }
    }

    func theTimerIsFreedOutsideTheLock(
        _ effect: @escaping @Sendable (Effect<Int>, TimerScheduler) -> Effect<Int>
    ) -> Bool {
        let scheduler = TimerScheduler()
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: Reducer(effects: { _, event in
                event == 1 ? effect(.future(Future(value: 2)), scheduler) : .none
            }))
        scheduler.store.withLock { $0 = store }
        let isDone = returns {
            store.dispatch(event: 1)
            scheduler.fire()
        }
        if isDone { scheduler.store.withLock { $0 = nil } }
        return isDone
    }

    @Test func theTimerOfADelayThatFires() {
        #expect(theTimerIsFreedOutsideTheLock { $0.debounce(id: 1, for: .seconds(1), on: $1) })
    }

    @Test func theTimerOfAnIntervalThatEnds() {
        #expect(theTimerIsFreedOutsideTheLock { $0.throttle(id: 1, for: .seconds(1), on: $1) })
    }

    /// An id that is equal to all others.
    struct EqualID: Hashable, Sendable {
        var end: OnDeinit?

        static func == (left: EqualID, right: EqualID) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    @Test(arguments: [false, true])
    func theIdThatEffectsWithAnEqualOneHaveHadInCommon(isCancelled: Bool) {
        let (first, second, stop) = (Promise<Int>(), Promise<Int>(), Promise<Int>())
        let store = makeStore { end in
            .merge(
                Effect.future(first).id(EqualID(end: end), .serial),
                Effect.future(second).id(EqualID(), .serial),
                .concatenate(.future(stop), .cancel(id: EqualID())))
        }
        let isDone = returns {
            store.dispatch(event: 1)
            first.resolve(with: 2)
            if isCancelled { stop.resolve(with: 10) } else { second.resolve(with: 10) }
        }
        #expect(isDone)
        if isDone { #expect(store.state == 113) }
    }

    /// Whether a store is released whose effect uses it in its deinit.
    func aStoreGoes(
        with effect: (OnDeinit) -> Effect<Int>, after settle: @escaping @Sendable () -> Void = {}
    ) -> Bool {
        let context = Locked<DispatchContext<Int, Int>?>(nil)
        let middleware = StoreMiddleware<Int, Int> { made in
            context.withLock { $0 = made }
            return { $0 }
        }
        let once = Locked(effect(OnDeinit { _ = context.withLock { $0 }?.state }))
        return returns {
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: Reducer(effects: { _, event in
                    guard event == 1 else { return .none }
                    return once.withLock { effect in
                        defer { effect = .none }
                        return effect
                    }
                }), middleware: [middleware])
            withExtendedLifetime(store) {
                store.dispatch(event: 1)
                settle()
            }
        }
    }

    @Test func whatASequenceOfAStoreThatGoesHasNotBegun() {
        let gate = Promise<Int>()
        #expect(
            aStoreGoes { end in
                .concatenate(
                    .future(gate),
                    .future {
                        end.use()
                        return gate
                    })
            })
    }

    @Test func theIdThatEffectsOfAStoreThatGoesHaveInCommon() {
        let (first, second) = (Promise<Int>(), Promise<Int>())
        #expect(
            aStoreGoes { end in
                .merge(
                    Effect.future(first).id(EqualID(end: end), .serial),
                    Effect.future(second).id(EqualID(), .serial))
            } after: {
                first.resolve(with: 2)
                // A store that waits for itself keeps its pending work, so that this test ends.
                withExtendedLifetime(second) {}
            })
    }
}
