import PledgeFutures
import PledgeStores

extension Case {
    /// An event that begins no effect, in a store whose reducer may return effects.
    static let eventWithoutEffect = Case(
        name: "dispatch, no effect begins",
        ways: [
            Way(measuring: "Pledge") { count in
                let store = Screen.store()
                return Cost.of { for _ in 0..<count { store.dispatch(.tick) } }
            },
            Way(measuring: "reducer without effects") { count in
                let store = Store<Screen, Screen.Event>(
                    initialState: Screen(), reducer: Reducer { screen, _ in screen.ticks &+= 1 })
                return Cost.of { for _ in 0..<count { store.dispatch(.tick) } }
            },
        ]
    )

    /// An event that begins an effect, and the event that the effect makes at once.
    static let effectOfSettled = Case(
        name: "dispatch, effect and its event",
        ways: [
            Way(measuring: "Pledge") { count in
                let store = Screen.store()
                return Cost.of { for _ in 0..<count { store.dispatch(.start) } }
            },
            Way(measuring: "two events without effects") { count in
                let store = Screen.store()
                return Cost.of {
                    for index in 0..<count {
                        store.dispatch(.tick)
                        store.dispatch(.loaded(index))
                    }
                }
            },
        ]
    )

    /// An effect that begins and is cancelled by its id, beside 10,000 other effects.
    static let cancelAmongMany = Case(
        name: "cancel by id, 10,000 effects",
        ways: [
            Way(measuring: "Pledge") { count in cancel(count, beside: 10_000) },
            Way(measuring: "10 effects") { count in cancel(count, beside: 10) },
        ]
    )
}

/// A state whose events begin effects.
private struct Screen {
    enum Event {
        case tick, start
        case loaded(Int)
        case wait(Int)
        case cancel(Int)
    }

    var ticks = 0
    var loaded = 0

    static func store(waitingFor promise: Promise<Event> = Promise()) -> Store<Screen, Event> {
        Store(
            initialState: Screen(),
            reducer: Reducer(effects: { screen, event in
                switch event {
                case .tick: screen.ticks &+= 1
                case .start: return .future { Future(value: 7).map { .loaded($0) } }
                case .loaded(let number): screen.loaded = number
                case .wait(let number): return .future(promise.shielded()).id(number)
                case .cancel(let number): return .cancel(id: number)
                }
                return .none
            }))
    }
}

/// Begins effects and cancels each of them, in a store that holds a number of other effects.
private func cancel(_ count: Int, beside others: Int) -> Cost {
    let promise = Promise<Screen.Event>()
    let store = Screen.store(waitingFor: promise)
    for number in 0..<others { store.dispatch(.wait(number)) }
    let cost = Cost.of {
        for _ in 0..<count {
            store.dispatch(.wait(-1))
            store.dispatch(.cancel(-1))
        }
    }
    keep(object: promise)
    return cost
}
