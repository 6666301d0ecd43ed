import Futures
import Stores
import Testing

@Suite struct StoreTests {
    @Test func stateIsCurrentWhenDispatchReturns() {
        let store = Store<Int, Int>(initialState: 1, reduce: { $0 + $1 })
        store.dispatch(event: 2)
        #expect(store.state == 3)
    }
}
