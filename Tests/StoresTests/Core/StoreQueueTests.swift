import Dispatch
import Foundation
import PledgeFutures
import TestSupport
import Testing

@testable import PledgeStores

/// Who delivers what several threads dispatch, and how long their queue gets.
@Suite(.oneAtATime) struct StoreQueueTests {
    /// Dispatches whenever it is asked to, on a thread of its own.
    final class OtherThread: Sendable {
        private let asked = DispatchSemaphore(value: 0)
        private let done = DispatchSemaphore(value: 0)
        private let isOver = Locked(false)

        init(_ store: Store<Int, Int>) {
            Thread {
                while true {
                    self.asked.wait()
                    // Whoever asked just before the end waits no longer.
                    if self.isOver.withLock({ $0 }) {
                        self.done.signal()
                        return
                    }
                    store.dispatch(1)
                    self.done.signal()
                }
            }.start()
        }

        /// Returns when the other thread has dispatched.
        func dispatch() {
            asked.signal()
            done.wait()
        }

        func end() {
            isOver.withLock { $0 = true }
            asked.signal()
        }
    }

    @Test func aStoresDispatchReturnsThoughOtherThreadsGoOnDispatching() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let other = OtherThread(store)
        let (hasReturned, calls, isBroken) = (Locked(false), Locked(0), Locked(false))
        store.subscribe { old, new in
            guard let old else { return }
            if new != old + 1 { isBroken.withLock { $0 = true } }
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            // Each change is followed by one of another thread, so the queue is never empty.
            if number < 50_000, !hasReturned.withLock({ $0 }) { other.dispatch() }
        }
        store.dispatch(1)
        hasReturned.withLock { $0 = true }
        #expect(calls.withLock { $0 } < 50_000)
        #expect(await comesTrue { calls.withLock { $0 } == store.state })
        #expect(!isBroken.withLock { $0 })
        other.end()
    }

    @Test func aThreadSeesAllThatItsDispatchCausesBeforeItReturns() {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let (calls, threads) = (Locked(0), Locked<Set<UInt>>([]))
        store.subscribe { [unowned store] old, new in
            calls.withLock { $0 += 1 }
            threads.withLock { _ = $0.insert(threadIdentity()) }
            if old != nil, new < 20_000 { store.dispatch(1) }
        }
        store.dispatch(1)
        #expect(calls.withLock { $0 } == 20_001)
        #expect(threads.withLock { $0 } == [threadIdentity()])
    }

    @Test func aDerivedStoresObserversHoldNoDispatchUpEither() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let other = OtherThread(store)
        let (hasReturned, calls) = (Locked(false), Locked(0))
        let doubled = store.derived { $0 * 2 }
        doubled.subscribe { old, _ in
            guard old != nil else { return }
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            if number < 50_000, !hasReturned.withLock({ $0 }) { other.dispatch() }
        }
        store.dispatch(1)
        hasReturned.withLock { $0 = true }
        #expect(calls.withLock { $0 } < 50_000)
        #expect(await comesTrue { calls.withLock { $0 } == store.state })
        other.end()
    }

    // MARK: - A limit

    /// A store whose observer stops at its first change until it may go on.
    private func stopped(
        at limit: Int
    ) -> (store: Store<Int, Int>, go: DispatchSemaphore, seen: TestLog<Int>) {
        let store = Store<Int, Int>(
            initialState: 0, reducer: Reducer { $0 + $1 }, queueLimit: limit)
        let (go, seen) = (DispatchSemaphore(value: 0), TestLog<Int>())
        store.subscribe { old, new in
            if old == 0 { go.wait() }
            seen.append(new)
        }
        Thread { store.dispatch(1) }.start()
        return (store, go, seen)
    }

    @Test func aDispatchWaitsForAPlaceInTheQueue() async {
        let (store, go, seen) = stopped(at: 3)
        #expect(await comesTrue { store.state == 1 })
        for _ in 0..<3 { store.dispatch(1) }
        let returned = Locked(0)
        for _ in 0..<2 {
            Thread {
                store.dispatch(1)
                returned.withLock { $0 += 1 }
            }.start()
        }
        #expect(await comesTrue { store.core.values.withLock { $0.waiting.count } == 2 })
        #expect(store.state == 4)
        #expect(returned.withLock { $0 } == 0)
        go.signal()
        #expect(await comesTrue { returned.withLock { $0 } == 2 && seen.elements.count == 7 })
        #expect(seen.elements == Array(0...6))
    }

    @Test func theThreadThatWorksOffAStoresQueueNeverWaitsForAPlaceInIt() {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 }, queueLimit: 1)
        let seen = TestLog<Int>()
        store.subscribe { [unowned store] old, new in
            seen.append(new)
            if old == 0 { for _ in 0..<10 { store.dispatch(1) } }
        }
        store.dispatch(1)
        #expect(seen.elements == Array(0...11))
    }

    @Test func aReleasedStoreLetsTheThreadsGoThatWaitForAPlaceInItsQueue() async {
        let returned = Locked(false)
        var stopped: (store: Store<Int, Int>, go: DispatchSemaphore, seen: TestLog<Int>)? =
            stopped(at: 1)
        let (core, go) = (stopped!.store.core, stopped!.go)
        #expect(await comesTrue { core.state == 1 })
        core.dispatch(1)
        Thread {
            core.dispatch(1)
            returned.withLock { $0 = true }
        }.start()
        #expect(await comesTrue { core.values.withLock { $0.waiting.count } == 1 })
        core.close()
        stopped = nil
        #expect(await comesTrue { returned.withLock { $0 } })
        go.signal()
    }

    @Test(arguments: [1, 2, 5])
    func aStoresLimitedQueueLosesNoEventAndStaysShort(limit: Int) async {
        let store = Store<Int, Int>(
            initialState: 0, reducer: Reducer { $0 + $1 }, queueLimit: limit)
        let chain = StoreThreadsTests.Chain()
        let longest = Locked(0)
        // Weak: the last call may still run when the test has ended.
        store.subscribe { [weak store] old, new in
            chain.add(old, new)
            let length = store?.core.values.withLock { $0.undelivered } ?? 0
            longest.withLock { $0 = max($0, length) }
        }
        onThreads(8) { _ in for _ in 0..<2_000 { store.dispatch(1) } }
        #expect(await comesTrue { chain.last == 16_000 })
        #expect(chain.broken == 0)
        #expect(longest.withLock { $0 } <= limit + 8)
    }

    #if os(Linux) || os(macOS)
    @Test func aStoresLongQueueIsReportedOnceWithTheObserversLine() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            FutureDiagnostics.send { reports.append($0) }
            let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
            let go = DispatchSemaphore(value: 0)
            store.subscribe { _, _ in }
            store.subscribe(fileID: "Test/Screen.swift", line: 7) { old, _ in
                if old == 0 { go.wait() }
            }
            Thread { store.dispatch(1) }.start()
            let isStopped = await comesTrue { store.state == 1 }
            precondition(isStopped, "the observer stops")
            for _ in 0..<9_999 { store.dispatch(1) }
            precondition(reports.elements.isEmpty, "not yet")
            for _ in 0..<20_000 { store.dispatch(1) }
            precondition(reports.elements.count == 1, "once")
            precondition(reports.elements[0].contains("Test/Screen.swift:7"), "it names the line")
            go.signal()
        }
    }
    #endif
}

@Suite(.oneAtATime) struct StoreThreadsTests {
    /// Whether each pair begins with the state with which the one before it ended.
    final class Chain: Sendable {
        private let values = Locked((last: Int?.none, broken: 0, count: 0))

        var last: Int? { values.withLock { $0.last } }
        var broken: Int { values.withLock { $0.broken } }
        var count: Int { values.withLock { $0.count } }

        @Sendable func add(_ old: Int?, _ new: Int) {
            values.withLock { values in
                // Each event adds one, so a pair shows whether it is the next.
                let isNext = values.count == 0 ? old == nil : old == values.last && new == old! + 1
                if !isNext { values.broken += 1 }
                values.last = new
                values.count += 1
            }
        }
    }

    @Test func everyObserverOfAStoreSeesConsecutivePairsWhileEightThreadsDispatch() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let early = Chain()
        store.subscribe(observer: early.add)
        let late = Locked<[Chain]>([])
        let events = 12_500
        onThreads(8) { _ in
            for index in 1...events {
                store.dispatch(1)
                guard index % 2500 == 0 else { continue }
                let chain = Chain()
                late.withLock { $0.append(chain) }
                store.subscribe(observer: chain.add)
            }
        }
        store.dispatch(0)
        #expect(store.state == 8 * events)
        let chains = late.withLock { $0 }
        #expect(chains.count == 40)
        // A thread of the library may deliver the last changes.
        #expect(await comesTrue { ([early] + chains).allSatisfy { $0.broken > 0 } })
        #expect(early.count == 8 * events + 2)
        for chain in [early] + chains {
            #expect(chain.last == 8 * events)
            // The event that adds nothing is the one that is not the next.
            #expect(chain.broken == 1)
        }
    }

    @Test func noObserverOfAStoreIsCalledByTwoThreadsAtOnce() {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let inside = Locked(0)
        let overlaps = Locked(0)
        store.subscribe { _, _ in
            let now = inside.withLock { inside in
                inside += 1
                return inside
            }
            if now > 1 { overlaps.withLock { $0 += 1 } }
            inside.withLock { $0 -= 1 }
        }
        onThreads(4) { _ in for _ in 0..<5000 { store.dispatch(1) } }
        #expect(overlaps.withLock { $0 } == 0)
        #expect(store.state == 20_000)
    }

    @Test func threadsMaySubscribeToAStoreAndUnsubscribeWhileOthersDispatch() {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let half = store.derived { $0 / 2 }
        let broken = Locked(0)
        onThreads(4) { index in
            for _ in 0..<1000 {
                if index < 2 {
                    store.dispatch(1)
                } else {
                    let last = Locked<Int?>(nil)
                    let token = half.subscribe { old, new in
                        last.withLock { last in
                            if old != last { broken.withLock { $0 += 1 } }
                            last = new
                        }
                    }
                    store.dispatch(1)
                    token.cancel()
                }
            }
        }
        #expect(broken.withLock { $0 } == 0)
        #expect(store.state == 4000)
    }
}

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

    @Test(arguments: 0..<20) func aStoreDoesInEveryRandomScriptWhatTheModelSays(block: UInt64) {
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
        private let tokens = Locked<[ObserverToken?]>([])
        private let calls = Locked(0)

        init(_ script: Script) { self.script = script }

        func run() { for action in script.top { perform(action, as: nil) } }

        private func perform(_ action: Action, as observer: Int?) {
            switch action {
            case .dispatch(let event): store.dispatch(event)
            case .subscribe:
                let index = tokens.withLock { tokens in
                    tokens.append(nil)
                    return tokens.count - 1
                }
                let token = store.subscribe { [unowned self] in called(index, $0, $1) }
                tokens.withLock { $0[index] = token }
            case .unsubscribeSelf: if let observer { unsubscribe(observer) }
            case .unsubscribe(let index): unsubscribe(index)
            case .unsubscribeAll: (0..<tokens.withLock { $0.count }).forEach(unsubscribe)
            }
        }

        /// An observer that is called before `subscribe` has returned has no token yet.
        private func unsubscribe(_ index: Int) {
            let token = tokens.withLock { $0.indices.contains(index) ? $0[index] : nil }
            token?.cancel()
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
