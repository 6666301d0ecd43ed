import Foundation
import Pledge

func counter() {
    // expected-error@+1 {{and import PledgeStores}}
    let store = Store<Int, Bool>(initialState: 0, reducer: Reducer { state, _ in state += 1 })
    store.dispatch(true)
}
