import Dispatch
import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

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
        end.withLock { $0 = { [weak store] in store?.dispatch(event: 10) } }
        return store
    }

    @Test("T6: a reducer drops the last reference to a promise that an observer watches")
    func aPromiseThatIsWatched() async {
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
                if told.withLock({ $0 }) == 1 { store.dispatch(event: 2) }
            }
            store.dispatch(event: 1)
            exit(told.withLock { $0 } == 1 && store.state == nil ? 0 : 1)
        }
    }

    @Test("T2, T6: a state whose own deinit uses its store, which nobody observes")
    func aStateOfAStoreThatNobodyObserves() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            for way in Way.allCases {
                let store = Self.makeStore(way)
                store.dispatch(event: 1)
                guard store.state.count == 11 else { exit(1) }
            }
            exit(0)
        }
    }

    @Test("T2, T6: a state whose own deinit uses its store, which is observed")
    func aStateOfAStoreThatIsObserved() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            for way in Way.allCases {
                let store = Self.makeStore(way)
                let counts = TestLog<Int>()
                store.subscribe { _, new in counts.append(new.count) }
                store.dispatch(event: 1)
                guard counts.elements == [0, 1, 11] else { exit(1) }
            }
            exit(0)
        }
    }

    @Test("T6: a state whose own deinit uses the view of its store")
    func aStateOfAnObservedStore() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            await MainActor.run {
                let end = Locked<ObservedStore<Owner, Int>?>(nil)
                let view = ObservedStore(
                    Store<Owner, Int>(
                        initialState: Owner(
                            owned: OnDeinit {
                                MainActor.assumeIsolated {
                                    end.withLock { $0 }?.dispatch(event: 5)
                                }
                            }),
                        reducer: Reducer { state, event in
                            state.count += event
                            if event == 1 { state.owned = nil }
                        }))
                end.withLock { $0 = view }
                view.dispatch(event: 1)
                end.withLock { $0 = nil }
                exit(view.count == 6 ? 0 : 1)
            }
        }
    }

    @Test("T6: a recorder forgets states that were undone")
    func aStateThatARecorderForgets() async {
        await #expect(processExitsWith: .success) {
            exitIfHung(1)
            let end = Locked<(@Sendable () -> Void)?>(nil)
            let recorder = StoreRecorder<Owner, Int>(
                initialState: Owner(),
                reducer: Reducer { state, event in
                    state.count += event
                    if event == 1 { state.owned = OnDeinit { end.withLock { $0 }?() } }
                })
            recorder.dispatch(event: 1)
            end.withLock { $0 = { [weak recorder] in recorder?.dispatch(event: 10) } }
            recorder.undo()
            recorder.dispatch(event: 2)
            exit(recorder.events == [2, 10] && recorder.state.count == 12 ? 0 : 1)
        }
    }
}
