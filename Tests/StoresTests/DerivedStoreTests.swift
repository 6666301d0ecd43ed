import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite struct DerivedStoreTests {
    struct Screen: Equatable, Sendable {
        var name = "a"
        var counts = [0, 0, 0]
        var inner = Inner()

        struct Inner: Equatable, Sendable { var flag = false }
    }

    enum Event: Sendable {
        case rename(String)
        case count(Int)
        case flag(Bool)
    }

    let store = Store<Screen, Event>(
        initialState: Screen(),
        reducer: Reducer { state, event in
            switch event {
            case .rename(let name): state.name = name
            case .count(let index): state.counts[index] += 1
            case .flag(let flag): state.inner.flag = flag
            }
        })

    @Test func aSubscriptionToAPartOfAStoreSkipsEqualValues() {
        let names = TestLog<Pair<String>>()
        let subscription = store.derived(\.name).subscribe { names.append(Pair($0, $1)) }
        store.dispatch(.count(0))
        store.dispatch(.rename("b"))
        store.dispatch(.rename("b"))
        store.dispatch(.rename("c"))
        subscription.cancel()
        store.dispatch(.rename("d"))
        #expect(names.elements == [Pair(nil, "a"), Pair("a", "b"), Pair("b", "c")])
    }

    @Test func theWholeStateCanBeSubscribedWithoutTheEventsThatChangeNothing() {
        let states = TestLog<Pair<Screen>>()
        store.derived(\.self).subscribe { states.append(Pair($0, $1)) }
        store.dispatch(.rename("a"))
        store.dispatch(.flag(true))
        #expect(states.elements.count == 2)
    }

    @Test func aDerivedStoreReadsAndDispatches() {
        let count = store.derived { $0.counts[1] }
        count.dispatch(.count(1))
        #expect(count.state == 1)
        #expect(store.state.counts == [0, 1, 0])
    }

    @Test func aDerivedStoreHasEventsOfItsOwnIfAskedFor() {
        let name = store.derived(\.name, event: Event.rename)
        name.dispatch("z")
        #expect(store.state.name == "z")
    }

    @Test func onlyObserversWhosePartOfAStoreHasChangedAreTold() {
        let parts = Store<[Int], Int>(
            initialState: Array(repeating: 0, count: 1000),
            reducer: Reducer { state, index in state[index] += 1 })
        let told = TestLog<Int>()
        let derived = (0..<1000).map { index in parts.derived { $0[index] } }
        for (index, part) in derived.enumerated() {
            part.subscribe { old, _ in if old != nil { told.append(index) } }
        }
        parts.dispatch(7)
        parts.dispatch(993)
        parts.dispatch(7)
        #expect(told.elements == [7, 993, 7])
    }

    @Test func aDerivedStoreComparesItsPartOnceHoweverManyObserveIt() {
        let asked = Locked(0)
        let name = store.derived { state in
            asked.withLock { $0 += 1 }
            return state.name
        }
        let told = TestLog<Int>()
        for index in 0..<1000 { name.subscribe { old, _ in if old != nil { told.append(index) } } }
        asked.withLock { $0 = 0 }
        store.dispatch(.count(0))
        #expect(asked.withLock { $0 } == 2)
        #expect(told.elements.isEmpty)
        store.dispatch(.rename("b"))
        #expect(told.elements == Array(0..<1000))
    }

    @Test func observersOfADerivedStoreSeeConsecutivePairsThoughOneDispatches() {
        let store = store
        let name = store.derived(\.name)
        let (first, second) = (TestLog<Pair<String>>(), TestLog<Pair<String>>())
        name.subscribe { [unowned store] old, new in
            first.append(Pair(old, new))
            if new == "b" { store.dispatch(.rename("c")) }
        }
        name.subscribe { second.append(Pair($0, $1)) }
        store.dispatch(.rename("b"))
        let expected = [Pair(nil, "a"), Pair("a", "b"), Pair("b", "c")]
        #expect(first.elements == expected)
        #expect(second.elements == expected)
    }

    @Test func anObserverAddedWhileADerivedStoreNotifiesSeesTheStateOnceAndThenOnlyNewerOnes() {
        let name = store.derived(\.name)
        let seen = TestLog<Pair<String>>()
        name.subscribe { [unowned name] _, new in
            if new == "b" { name.subscribe { seen.append(Pair($0, $1)) } }
        }
        store.dispatch(.rename("b"))
        store.dispatch(.rename("c"))
        #expect(seen.elements == [Pair(nil, "b"), Pair("b", "c")])
    }

    @Test func unsubscribingFromADerivedStoreWhileItNotifiesRemovesOnlyThatObserver() {
        let name = store.derived(\.name)
        let seen = TestLog<String>()
        let second = Locked<[@Sendable () -> Void]>([])
        name.subscribe { old, _ in if old != nil { second.withLock { $0 }.forEach { $0() } } }
        let token = name.subscribe { _, new in seen.append("second \(new)") }
        name.subscribe { _, new in seen.append("third \(new)") }
        second.withLock { $0 = [{ token.cancel() }] }
        store.dispatch(.rename("b"))
        token.cancel()
        store.dispatch(.rename("c"))
        #expect(seen.elements == ["second a", "third a", "third b", "third c"])
    }

    @Test func aDerivedStoreTellsAgainAfterItsLastObserverLeft() {
        let name = store.derived(\.name)
        let seen = TestLog<Pair<String>>()
        name.subscribe { seen.append(Pair($0, $1)) }.cancel()
        store.dispatch(.rename("b"))
        name.subscribe { seen.append(Pair($0, $1)) }
        store.dispatch(.rename("c"))
        #expect(seen.elements == [Pair(nil, "a"), Pair(nil, "b"), Pair("b", "c")])
    }

    @Test func aDerivedStoreMayBeDerivedFromADerivedStore() {
        let flag = store.derived(\.inner).derived(\.flag)
        let seen = TestLog<Pair<Bool>>()
        flag.subscribe { seen.append(Pair($0, $1)) }
        store.dispatch(.flag(true))
        store.dispatch(.rename("b"))
        #expect(flag.state)
        #expect(seen.elements == [Pair(nil, false), Pair(false, true)])
    }

    @Test func subscriptionsAndStreamsOfATemporaryDerivedStoreGoOn() async {
        let seen = TestLog<String>()
        store.derived(\.name).subscribe { _, new in seen.append(new) }
        store.derived(\.inner).derived(\.flag).subscribe { _, new in seen.append("\(new)") }
        var names = store.derived(\.name).states.makeAsyncIterator()
        #expect(await names.next() == "a")
        store.dispatch(.rename("b"))
        store.dispatch(.flag(true))
        #expect(seen.elements == ["a", "false", "b", "true"])
        #expect(await names.next() == "b")
    }

    @Test func aSubscriptionOfATemporaryDerivedStoreIsEndedByItsToken() {
        let seen = TestLog<String>()
        let first = store.derived(\.name).subscribe { _, new in seen.append("1 \(new)") }
        let second = store.derived(\.name).subscribe { _, new in seen.append("2 \(new)") }
        first.cancel()
        store.dispatch(.rename("b"))
        second.cancel()
        store.dispatch(.rename("c"))
        #expect(seen.elements == ["1 a", "2 a", "2 b"])
    }

    @Test func aDerivedStoreKeepsItsStoreAndItsSubscriptionsDoNot() async {
        weak var gone: Store<Screen, Event>?
        let seen = TestLog<String>()
        let captured = Locked<(@Sendable () -> Bool)?>(nil)
        var names: AsyncStream<String>.Iterator?
        do {
            var name: DerivedStore<String, Event>?
            do {
                let store = Store<Screen, Event>(
                    initialState: Screen(), reducer: Reducer { state, _ in state })
                gone = store
                name = store.derived(\.name)
            }
            let inside = TestLog<String>()
            captured.withLock { $0 = { [weak inside] in inside == nil } }
            name?.subscribe { _, new in
                inside.append(new)
                seen.append(new)
            }
            names = name?.states.makeAsyncIterator()
            #expect(gone != nil)
            name = nil
        }
        #expect(gone == nil)
        #expect(captured.withLock { $0 }?() == true)
        #expect(seen.elements == ["a"])
        #expect(await names?.next() == "a")
        #expect(await names?.next() == nil)
    }
}
