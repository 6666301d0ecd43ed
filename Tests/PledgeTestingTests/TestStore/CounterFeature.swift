import Pledge
import PledgeTesting
import TestSupport

/// A counter that can request a number, with or without a comparable answer.
struct Counter: Equatable, Sendable {
    var count = 0
    var name = "counter"
    var isAsking = false
}

enum CounterEvent: Equatable, Sendable {
    case increase
    case ask
    case answered(Int)
    case askTwice
    case leave
    case watch
}

struct CounterFeature: Sendable {
    let ask: @Sendable () -> Future<Int>

    @Sendable func reduce(_ state: inout Counter, _ event: CounterEvent) -> Effect<CounterEvent> {
        switch event {
        case .increase: state.count += 1
        case .ask:
            state.isAsking = true
            return .future { ask().map { .answered($0) } }.id("ask")
        case .askTwice:
            let effect = Effect<CounterEvent>.future { ask().map { .answered($0) } }
            return .merge(effect, effect)
        case .answered(let number):
            state.isAsking = false
            state.count = number
        case .leave: return .cancel(id: "ask")
        case .watch: return .future { Promise<CounterEvent>(error: Offline()) }
        }
        return .none
    }
}

struct Offline: Error {}

extension TestLog<StoreFailure> {
    /// A store that reports to this log.
    func makeStore(
        exhaustivity: TestStoreExhaustivity = .all,
        asking: @escaping @Sendable () -> Future<Int> = { Future(value: 7) },
        line: UInt = #line
    ) -> TestStore<Counter, CounterEvent> {
        TestStore(
            initialState: Counter(), reducer: Reducer(effects: CounterFeature(ask: asking).reduce),
            exhaustivity: exhaustivity, onFailure: add, line: line)
    }
}
