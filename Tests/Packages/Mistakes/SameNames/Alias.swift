import ComposableArchitecture
import PledgeStores

// In one file of the target. Here, `Store` then means Pledge's, as in every other file.
typealias Store = PledgeStores.Store
typealias Effect = PledgeStores.Effect
typealias Reducer = PledgeStores.Reducer

func counter() -> Store<Int, Bool> {
    Store(initialState: 0, reducer: Reducer { count, isUp in count += isUp ? 1 : -1 })
}
func nothing() -> Effect<Bool> { .none }
func other(_ store: ComposableArchitecture.Store<Int, Bool>) {}
