import Observation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite @MainActor struct ObservedStoreTests {
    struct Screen: Equatable, Sendable {
        var name = "a"
        var count = 0
    }

    let store = Store<Screen, Int>(
        initialState: Screen(), reducer: Reducer { state, event in state.count += event })

    /// Waits until a condition on the main actor is true.
    func wait(until condition: () -> Bool) async {
        #expect(await comesTrue(condition))
    }

    @Test func anEventDispatchedToAnObservedStoreIsInItsStateWhenDispatchReturns() {
        let view = ObservedStore(store)
        view.dispatch(2)
        #expect(view.count == 2)
        #expect(view.state == Screen(name: "a", count: 2))
    }

    @Test func aReaderOfAnObservedStoreIsToldWhenTheStateChanges() async {
        let view = ObservedStore(store)
        let changes = TestLog<Int>()
        withObservationTracking {
            _ = view.count
        } onChange: {
            changes.append(1)
        }
        #expect(changes.elements.isEmpty)
        store.dispatch(3)
        await wait { !changes.elements.isEmpty }
        #expect(changes.elements == [1])
        await wait { view.count == 3 }
        #expect(view.count == 3)
    }

    @Test func anObserverOfAnObservedStoreMayDispatchAtOnce() {
        let view = ObservedStore(store)
        let isFirst = Locked(true)
        withObservationTracking {
            _ = view.count
        } onChange: {
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isFirst { MainActor.assumeIsolated { view.dispatch(10) } }
        }
        view.dispatch(1)
        #expect(view.count == 11)
    }

    @Test func anObservedDerivedStoreTellsOnlyChangesOfItsPart() async {
        let view = ObservedStore(store.derived(\.name))
        let all = ObservedStore(store)
        let changes = TestLog<Int>()
        withObservationTracking {
            _ = view.state
        } onChange: {
            changes.append(1)
        }
        store.dispatch(3)
        await wait { all.count == 3 }
        #expect(changes.elements.isEmpty)
        #expect(view.state == "a")
    }

    @Test func anEventDispatchedToAnObservedDerivedStoreIsInItsStateAtOnce() {
        let view = ObservedStore(store.derived(\.count))
        let changes = TestLog<Int>()
        view.dispatch(2)
        #expect(view.state == 2)
        withObservationTracking {
            _ = view.state
        } onChange: {
            changes.append(1)
        }
        view.dispatch(0)
        #expect(changes.elements.isEmpty)
        view.dispatch(1)
        #expect(changes.elements == [1])
        #expect(view.state == 3)
    }

    @Test func anObservedStoreIsFreedAndUnsubscribesThoughItsStoreStays() {
        var view: ObservedStore? = ObservedStore(store)
        weak let gone = view
        view?.dispatch(1)
        view = nil
        #expect(gone == nil)
        store.dispatch(1)
        #expect(store.state.count == 2)
    }

    @Test func aMainActorSubscriptionSeesConsecutivePairsOnTheMainActor() async {
        let pairs = TestLog<Pair<Int>>()
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let subscription = store.subscribe(on: MainActor.shared) { old, new in
            MainActor.assertIsolated()
            pairs.append(Pair(old, new))
        }
        #expect(pairs.elements.isEmpty)
        await Task.detached { for _ in 0..<3 { store.dispatch(1) } }.value
        await wait { pairs.elements.count == 4 }
        #expect(pairs.elements == [Pair(nil, 0), Pair(0, 1), Pair(1, 2), Pair(2, 3)])
        store.dispatch(1)
        subscription.cancel()
        let after = TestLog<Int>()
        store.subscribe(on: MainActor.shared) { _, new in after.append(new) }
        await wait { !after.elements.isEmpty }
        #expect(pairs.elements.count == 4)
    }
}
