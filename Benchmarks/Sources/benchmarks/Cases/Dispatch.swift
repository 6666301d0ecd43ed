import Foundation
import Futures
import Stores

extension Case {
    /// An event, one observer: a store beside the least that one would write by hand.
    static let dispatch = Case(
        name: "dispatch, one observer",
        ways: [
            Way("Pledge") { count in
                let store = Store<Int, Int>(initialState: 0, reduce: { $0 &+ $1 })
                store.subscribe { keep(($0, $1)) }
                for index in 0..<count { store.dispatch(event: index) }
            },
            Way("locked closures") { count in
                let store = LockedClosures(state: 0) { $0 &+ $1 }
                store.subscribe { keep(($0, $1)) }
                for index in 0..<count { store.dispatch(index) }
            },
        ]
    )

    /// An event that changes one part of a thousand, each with an observer.
    static let derivedStores = Case(
        name: "dispatch, 1,000 derived parts",
        ways: [
            Way("Pledge") { count in
                let store = Store<[Int], Int>(
                    initialState: Array(repeating: 0, count: 1000),
                    reducer: Reducer { state, index in state[index] &+= 1 })
                let parts = (0..<1000).map { index in store.derived { $0[index] } }
                for part in parts { part.subscribe { keep(($0, $1)) } }
                for index in 0..<count { store.dispatch(event: index % 1000) }
                keep(parts)
            },
            Way("locked closures") { count in
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
                for index in 0..<count { store.dispatch(index % 1000) }
            },
        ]
    )

    /// An event of which a thousand observers of another part hear nothing.
    static let derivedStore = Case(
        name: "dispatch, 1,000 of another part",
        ways: [
            Way("Pledge") { count in
                let store = Store<Pair, Int>(
                    initialState: Pair(), reducer: Reducer { state, event in state.first &+= event }
                )
                let second = store.derived(\.second)
                for _ in 0..<1000 { second.subscribe { keep(($0, $1)) } }
                for index in 0..<count { store.dispatch(event: index) }
                keep(second)
            },
            Way("locked closures") { count in
                let store = LockedClosures(state: Pair()) { state, event in
                    Pair(first: state.first &+ event, second: state.second)
                }
                for _ in 0..<1000 {
                    store.subscribe { old, new in
                        if old?.second != new.second { keep((old?.second, new.second)) }
                    }
                }
                for index in 0..<count { store.dispatch(index) }
            },
        ]
    )
}

private struct Pair {
    var first = 0
    var second = 0
}

/// A state and an array of closures behind a lock, which promises nothing about order.
private final class LockedClosures<State, Event>: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State
    private var observers: [@Sendable (State?, State) -> Void] = []
    private let reduce: @Sendable (State, Event) -> State

    init(state: State, reduce: @escaping @Sendable (State, Event) -> State) {
        self.state = state
        self.reduce = reduce
    }

    func subscribe(_ observer: @escaping @Sendable (State?, State) -> Void) {
        lock.lock()
        observers.append(observer)
        let state = state
        lock.unlock()
        observer(nil, state)
    }

    func dispatch(_ event: Event) {
        lock.lock()
        let old = state
        state = reduce(old, event)
        let (new, observers) = (state, observers)
        lock.unlock()
        for observer in observers { observer(old, new) }
    }
}
