import PledgeFutures
import PledgeStores

extension Case {
    /// An event with one observer: a store compared with the least code that you would write by hand.
    static let dispatch = Case(
        name: "dispatch, one observer",
        ways: [
            Way("Pledge") { count in
                let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 &+ $1 })
                store.subscribe { keep(($0, $1)) }
                for index in 0..<count { store.dispatch(index) }
            },
            Way("locked closures") { count in
                let store = LockedClosures(state: 0) { $0 &+ $1 }
                store.subscribe { keep(($0, $1)) }
                for index in 0..<count { store.dispatch(index) }
            },
        ]
    )

    /// An event that doesn't change the part of the state that a thousand observers observe.
    static let derivedStore = Case(
        name: "dispatch, 1,000 of another part",
        ways: [
            Way(measuring: "Pledge") { count in
                let store = Store<Pair, Int>(
                    initialState: Pair(), reducer: Reducer { state, event in state.first &+= event }
                )
                let second = store.derived(\.second)
                for _ in 0..<1000 { second.subscribe { keep(($0, $1)) } }
                let cost = Cost.of { for index in 0..<count { store.dispatch(index) } }
                keep(second)
                return cost
            },
            Way(measuring: "locked closures") { count in
                let store = LockedClosures(state: Pair()) { state, event in
                    Pair(first: state.first &+ event, second: state.second)
                }
                for _ in 0..<1000 {
                    store.subscribe { old, new in
                        if old?.second != new.second { keep((old?.second, new.second)) }
                    }
                }
                return Cost.of { for index in 0..<count { store.dispatch(index) } }
            },
        ]
    )

    /// An event that changes one of a thousand parts, each with its own observer.
    static let derivedStores = Case(
        name: "dispatch, 1,000 derived parts",
        ways: [
            Way(measuring: "Pledge") { count in
                let store = Store<[Int], Int>(
                    initialState: Array(repeating: 0, count: 1000),
                    reducer: Reducer { state, index in state[index] &+= 1 })
                let parts = (0..<1000).map { index in store.derived { $0[index] } }
                for part in parts { part.subscribe { keep(($0, $1)) } }
                let cost = Cost.of {
                    for index in 0..<count { store.dispatch(index % 1000) }
                }
                keep(parts)
                return cost
            },
            Way(measuring: "locked closures") { count in
                let store = LockedClosures(state: Array(repeating: 0, count: 1000)) {
                    state, index in
                    var state = state
                    state[index] &+= 1
                    return state
                }
                for index in 0..<1000 {
                    store.subscribe { old, new in
                        if old?[index] != new[index] { keep((old?[index], new[index])) }
                    }
                }
                return Cost.of { for index in 0..<count { store.dispatch(index % 1000) } }
            },
        ]
    )
}

private struct Pair {
    var first = 0
    var second = 0
}
