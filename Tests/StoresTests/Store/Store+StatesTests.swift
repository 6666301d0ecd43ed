import PledgeFutures
import PledgeStores
import Testing

@Suite struct StoreStatesTests {
    @Test func theNewestStateWaitsForABusyLoop() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        var states = store.states.makeAsyncIterator()
        #expect(await states.next() == 0)
        for _ in 0..<10 { store.dispatch(event: 1) }
        #expect(await states.next() == 10)
    }

    @Test func theyEndWhenTheStoreGoesAndDoNotKeepIt() async {
        var store: Store<Int, Int>? = Store(initialState: 0, reducer: Reducer { $0 + $1 })
        weak let gone = store
        var states = store?.states.makeAsyncIterator()
        let derived = store?.derived { $0 % 2 }
        _ = derived
        store?.dispatch(event: 4)
        store = nil
        #expect(gone != nil)  // The derived store keeps it.
        _ = consume derived
        #expect(await states?.next() == 4)
        #expect(await states?.next() == nil)
        #expect(gone == nil)
    }

    @Test func eachAccessIsASequenceOfItsOwn() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        var (first, second) = (store.states.makeAsyncIterator(), store.states.makeAsyncIterator())
        store.dispatch(event: 2)
        #expect(await first.next() == 2)
        #expect(await second.next() == 2)
    }

    @Test func aDerivedStoresStatesAreItsChanges() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let half = store.derived { $0 / 2 }
        var states = half.states.makeAsyncIterator()
        #expect(await states.next() == 0)
        store.dispatch(event: 1)
        store.dispatch(event: 3)
        #expect(await states.next() == 2)
    }

    @Test func aCancelledLoopUnsubscribes() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let task = Task { for await _ in store.states {} }
        task.cancel()
        await task.value
        store.dispatch(event: 1)
        #expect(store.state == 1)
    }
}
