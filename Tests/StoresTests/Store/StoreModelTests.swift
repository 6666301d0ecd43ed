import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

/// A store compared with a plain sequential model, over random scripts.
///
/// A script says what each observer does at each of its calls: nothing, dispatch, subscribe another observer,
/// or unsubscribe itself, a certain one, or all. The model implements the rules as slowly and plainly as
/// possible: a list of entries that is processed from its front.
@Suite struct StoreModelTests {
    enum Action: Equatable, Sendable {
        case dispatch(Int)
        case subscribe
        case unsubscribeSelf
        case unsubscribe(Int)
        case unsubscribeAll
    }

    struct Call: Equatable, Sendable {
        let observer: Int
        let old: Int?
        let new: Int
    }

    struct Script: Sendable {
        /// The actions at the top level, in order.
        var top: [Action] = []
        /// The actions at each call, counted over all observers; there are none after the last.
        var calls: [[Action]] = []

        init(seed: UInt64) {
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                top.append(Self.action(&generator, observers: 6))
            }
            for _ in 0..<60 {
                let count = [0, 0, 1, 1, 1, 2, 3].randomElement(using: &generator)!
                calls.append((0..<count).map { _ in Self.action(&generator, observers: 12) })
            }
        }

        static func action(_ generator: inout SeededGenerator, observers: Int) -> Action {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<5: .dispatch(Int.random(in: 0..<10, using: &generator))
            case 5..<8: .subscribe
            case 8: .unsubscribeSelf
            case 9..<11: .unsubscribe(Int.random(in: 0..<observers, using: &generator))
            default: .unsubscribeAll
            }
        }
    }

    static func next(_ state: Int, _ event: Int) -> Int { (state * 10 + event) % 1_000_003 }

    @Test(arguments: 0..<20) func everyScriptGoesAsTheModelSays(block: UInt64) {
        for seed in block * 50..<(block + 1) * 50 {
            let script = Script(seed: seed)
            var model = Model(script)
            model.run()
            let player = Player(script)
            player.run()
            #expect(player.log.elements == model.log, "seed \(seed)")
            #expect(player.store.state == model.state, "seed \(seed)")
            guard player.log.elements == model.log else { return }
        }
    }

    /// Runs a script on a store.
    final class Player: Sendable {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer(StoreModelTests.next))
        let log = TestLog<Call>()
        private let script: Script
        private let ids = Locked<[UUID?]>([])
        private let calls = Locked(0)

        init(_ script: Script) { self.script = script }

        func run() { for action in script.top { perform(action, as: nil) } }

        private func perform(_ action: Action, as observer: Int?) {
            switch action {
            case .dispatch(let event): store.dispatch(event: event)
            case .subscribe:
                let index = ids.withLock { ids in
                    ids.append(nil)
                    return ids.count - 1
                }
                let id = store.subscribe { [unowned self] in called(index, $0, $1) }
                ids.withLock { $0[index] = id }
            case .unsubscribeSelf: if let observer { unsubscribe(observer) }
            case .unsubscribe(let index): unsubscribe(index)
            case .unsubscribeAll: (0..<ids.withLock { $0.count }).forEach(unsubscribe)
            }
        }

        /// An observer that is called before `subscribe` has returned has no id yet.
        private func unsubscribe(_ index: Int) {
            let id = ids.withLock { $0.indices.contains(index) ? $0[index] : nil }
            if let id { store.unsubscribe(id) }
        }

        private func called(_ observer: Int, _ old: Int?, _ new: Int) {
            log.append(Call(observer: observer, old: old, new: new))
            let call = calls.withLock { calls in
                defer { calls += 1 }
                return calls
            }
            guard call < script.calls.count else { return }
            for action in script.calls[call] { perform(action, as: observer) }
        }
    }

    /// The rules, plainly.
    struct Model {
        enum Entry {
            case change(old: Int, new: Int, subscribers: [Int])
            case replay(Int, Int)
        }

        let script: Script
        var state = 0
        var log: [Call] = []
        var subscribers: [Int] = []
        var known: [Bool] = []
        var queue: [Entry] = []
        var isTelling = false

        init(_ script: Script) { self.script = script }

        mutating func run() { for action in script.top { perform(action, as: nil) } }

        mutating func perform(_ action: Action, as observer: Int?) {
            switch action {
            case .dispatch(let event):
                let old = state
                state = StoreModelTests.next(state, event)
                queue.append(.change(old: old, new: state, subscribers: subscribers))
                tell()
            case .subscribe:
                let index = known.count
                known.append(false)
                subscribers.append(index)
                queue.append(.replay(index, state))
                tell()
                known[index] = true
            case .unsubscribeSelf: if let observer { unsubscribe(observer) }
            case .unsubscribe(let index): unsubscribe(index)
            case .unsubscribeAll: known.indices.forEach { unsubscribe($0) }
            }
        }

        mutating func unsubscribe(_ index: Int) {
            guard known.indices.contains(index), known[index] else { return }
            subscribers.removeAll { $0 == index }
        }

        mutating func tell() {
            guard !isTelling else { return }
            isTelling = true
            while !queue.isEmpty {
                switch queue.removeFirst() {
                case .replay(let index, let state): call(index, nil, state)
                case .change(let old, let new, let those): those.forEach { call($0, old, new) }
                }
            }
            isTelling = false
        }

        mutating func call(_ observer: Int, _ old: Int?, _ new: Int) {
            guard subscribers.contains(observer) else { return }
            log.append(Call(observer: observer, old: old, new: new))
            guard log.count <= script.calls.count else { return }
            for action in script.calls[log.count - 1] { perform(action, as: observer) }
        }
    }
}
