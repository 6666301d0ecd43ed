import Dispatch
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

    @Test func anObserverThatIsUnsubscribedDuringADispatchMayUseItsStoreAsItIsFreed() {
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: Reducer(effects: { state, event in
                state += event
                return .none
            }))
        let isDone = returns {
            let token = Locked<ObserverToken?>(nil)
            store.subscribe { [unowned store] _, new in
                guard new == 1 else { return }
                token.withLock { $0! }.cancel()
                store.dispatch(1)
            }
            do {
                let end = OnDeinit { [weak store] in store?.dispatch(100) }
                token.withLock { $0 = store.subscribe { _, _ in end.use() } }
            }
            store.dispatch(1)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 102) }
    }

    @Test func aMiddlewareOfAStoreThatGoesMayUseItsStore() {
        let last = TestLog<Int>()
        let middleware = StoreMiddleware<Int, Int> { context in
            let end = OnDeinit {
                context.dispatch(1)
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
            store.dispatch(7)
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
        let end = OnDeinit { [weak store] in store?.dispatch(100) }
        once.withLock { $0 = effect(end) }
        return store
    }

    @Test func aSequenceOfEffectsThatEndsMayUseItsStoreAsItIsFreed() {
        let gate = Promise<Int>()
        let store = makeStore { end in
            .concatenate(
                .future {
                    end.use()
                    return gate
                }, .future(Future(value: 10)))
        }
        let isDone = returns {
            store.dispatch(1)
            gate.resolve(with: 2)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 113) }
    }

    @Test func anEffectThatIsCancelledBeforeItBeginsMayUseItsStoreAsItIsFreed() {
        let scheduler = ManualScheduler()
        let store = makeStore { end in
            Effect.future {
                end.use()
                return Future(value: 10)
            }.debounce(id: "x", for: .seconds(1), on: scheduler)
        }
        let isDone = returns {
            store.dispatch(1)
            store.dispatch(5)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 106) }
    }

    @Test func anEffectThatGivesWayToAnOlderOneMayUseItsStoreAsItIsFreed() {
        let gate = Promise<Int>()
        let store = makeStore { end in
            .merge(
                Effect.future(gate).id("x"),
                Effect.future {
                    end.use()
                    return Future(value: 10)
                }.id("x", .oldest))
        }
        let isDone = returns { store.dispatch(1) }
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
    func theIdOfAnEffectThatEndsMayUseItsStoreAsItIsFreed(policy: EffectPolicy) {
        let gate = Promise<Int>()
        let store = makeStore { end in Effect.future { gate }.id(ID(end), policy) }
        let isDone = returns {
            store.dispatch(1)
            gate.resolve(with: 2)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 103) }
    }

    @Test func anOperationThatIsReplacedMayUseItsStore() {
        let gate = Promise<Int>()
        let store = makeStore { end in
            Effect.fireAndForget(gate.always { end.use() }).id("x")
        }
        let isDone = returns {
            store.dispatch(1)
            store.dispatch(5)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 106) }
        gate.resolve(with: 0)
    }

    @Test func anOperationThatEndsMayUseItsStore() {
        let gate = Promise<Int>()
        let store = makeStore { end in .fireAndForget(gate.always { end.use() }) }
        let isDone = returns {
            store.dispatch(1)
            gate.resolve(with: 0)
        }
        #expect(isDone)
        if isDone { #expect(store.state == 101) }
    }

    /// A scheduler whose timers use the store in their deinit, and fire when the test says so.
    final class TimerScheduler: FutureScheduler {
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
            store.dispatch(1)
            scheduler.fire()
        }
        if isDone { scheduler.store.withLock { $0 = nil } }
        return isDone
    }

    @Test func theTimerOfADebouncedEffectIsFreedOutsideTheStoresLock() {
        #expect(theTimerIsFreedOutsideTheLock { $0.debounce(id: 1, for: .seconds(1), on: $1) })
    }

    @Test func theTimerOfAThrottledEffectIsFreedOutsideTheStoresLock() {
        #expect(theTimerIsFreedOutsideTheLock { $0.throttle(id: 1, for: .seconds(1), on: $1) })
    }

    /// An id that is equal to all others.
    struct EqualID: Hashable, Sendable {
        var end: OnDeinit?

        static func == (left: EqualID, right: EqualID) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }

    @Test(arguments: [false, true])
    func theIdThatEndedEffectsSharedMayUseItsStoreAsItIsFreed(isCancelled: Bool) {
        let (first, second, stop) = (Promise<Int>(), Promise<Int>(), Promise<Int>())
        let store = makeStore { end in
            .merge(
                Effect.future(first).id(EqualID(end: end), .serial),
                Effect.future(second).id(EqualID(), .serial),
                .concatenate(.future(stop), .cancel(id: EqualID())))
        }
        let isDone = returns {
            store.dispatch(1)
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
                store.dispatch(1)
                settle()
            }
        }
    }

    @Test func anEffectThatAReleasedStoreHasNotBegunMayUseItsStoreAsItIsFreed() {
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

    @Test func theIdThatEffectsOfAReleasedStoreShareMayUseItsStoreAsItIsFreed() {
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

/// An old state is freed outside locks and reducers: the objects that it owns may use the store in their
/// deinit.
@Suite(.oneAtATime) struct OldStateTests {
    /// A state that owns an object.
    struct Owner: Sendable {
        var count = 0
        var owned: OnDeinit?
    }

    /// How the store is made: the two ways of a store's core.
    enum Way: CaseIterable { case plain, withEffects }

    static func makeStore(_ way: Way) -> Store<Owner, Int> {
        let reduce: @Sendable (inout Owner, Int) -> Void = { state, event in
            state.count += event
            if event == 1 { state.owned = nil }
        }
        let end = Locked<(@Sendable () -> Void)?>(nil)
        let owner = Owner(owned: OnDeinit { end.withLock { $0 }?() })
        let store =
            switch way {
            case .plain: Store(initialState: owner, reducer: Reducer(reduce))
            case .withEffects:
                Store<Owner, Int>(
                    initialState: owner,
                    reducer: Reducer(effects: { state, event in
                        reduce(&state, event)
                        return .none
                    }))
            }
        end.withLock { $0 = { [weak store] in store?.dispatch(10) } }
        return store
    }

    @Test func aReducerMayDropTheLastReferenceToAPromiseThatAnObserverWatches() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            let promise = Locked<Promise<Int>?>(Promise())
            let watched: Future<Void> = promise.withLock { $0! }.map { _ in }
            let store = Store<Promise<Int>?, Int>(
                initialState: promise.withLock { $0 },
                reducer: Reducer { state, event in state = nil })
            promise.withLock { $0 = nil }
            let told = Locked(0)
            watched.observe { [weak store] _ in
                guard let store else { return }
                told.withLock { $0 += 1 }
                if told.withLock({ $0 }) == 1 { store.dispatch(2) }
            }
            store.dispatch(1)
            exit(told.withLock { $0 } == 1 && store.state == nil ? 0 : 1)
        }
    }

    @Test func aStateWhoseOwnDeinitUsesItsStoreIsFreedIfNobodyObservesIt() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            for way in Way.allCases {
                let store = Self.makeStore(way)
                store.dispatch(1)
                guard store.state.count == 11 else { exit(1) }
            }
            exit(0)
        }
    }

    @Test func aStateWhoseOwnDeinitUsesItsStoreIsFreedIfItIsObserved() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            for way in Way.allCases {
                let store = Self.makeStore(way)
                let counts = TestLog<Int>()
                store.subscribe { _, new in counts.append(new.count) }
                store.dispatch(1)
                guard counts.elements == [0, 1, 11] else { exit(1) }
            }
            exit(0)
        }
    }

    @Test func aStateWhoseOwnDeinitUsesTheViewOfItsStoreIsFreed() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            await MainActor.run {
                let end = Locked<ObservedStore<Owner, Int>?>(nil)
                let view = ObservedStore(
                    Store<Owner, Int>(
                        initialState: Owner(
                            owned: OnDeinit {
                                MainActor.assumeIsolated {
                                    end.withLock { $0 }?.dispatch(5)
                                }
                            }),
                        reducer: Reducer { state, event in
                            state.count += event
                            if event == 1 { state.owned = nil }
                        }))
                end.withLock { $0 = view }
                view.dispatch(1)
                end.withLock { $0 = nil }
                exit(view.count == 6 ? 0 : 1)
            }
        }
    }

    @Test func aRecorderForgetsStatesThatWereUndone() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            let end = Locked<(@Sendable () -> Void)?>(nil)
            let recorder = StoreRecorder<Owner, Int>(
                initialState: Owner(),
                reducer: Reducer { state, event in
                    state.count += event
                    if event == 1 { state.owned = OnDeinit { end.withLock { $0 }?() } }
                })
            recorder.dispatch(1)
            end.withLock { $0 = { [weak recorder] in recorder?.dispatch(10) } }
            recorder.undo()
            recorder.dispatch(2)
            exit(recorder.events == [2, 10] && recorder.state.count == 12 ? 0 : 1)
        }
    }
}
