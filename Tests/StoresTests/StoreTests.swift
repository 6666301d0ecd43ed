import Dispatch
import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

/// The rules of the store, and those of Redux's own specification, each by name.
@Suite(.oneAtATime) struct StoreTests {
    typealias IntStore = Store<Int, Int>

    let seen = TestLog<Pair<Int>>()

    func sum(_ initial: Int = 0) -> IntStore {
        IntStore(initialState: initial, reducer: Reducer { $0 + $1 })
    }

    /// A list of the states' last digits is easier to distinguish than sums.
    struct Tagged: Equatable, Sendable {
        let observer: Int
        let pair: Pair<Int>
    }

    // MARK: Making one

    struct Counter: Reducible, Equatable {
        var count = 0
        enum Event { case increase, decrease }

        static func reduce(_ state: Counter, event: Event) -> Counter {
            switch event {
            case .increase: Counter(count: state.count + 1)
            case .decrease: Counter(count: state.count - 1)
            }
        }
    }

    @Test func aStoreTakesEveryFormOfReducerAndInfersTheTypes() {
        let stores = [
            Store(initialState: 1, reducer: Reducer { (state: Int, event: Int) in state * event }),
            Store(
                initialState: 1,
                reducer: Reducer { (state: inout Int, event: Int) in state *= event }),
            Store(initialState: 1, reducer: Reducer { (state: Int) in { event in state * event } }),
            Store(
                initialState: 1,
                reducer: Reducer(effects: { (state: inout Int, event: Int) in
                    state *= event
                    return .none
                })),
            Store(initialState: 1, reducer: Reducer(Self.product)),
            IntStore(initialState: 1, reducer: Reducer { $0 * $1 }),
            IntStore(initialState: 1, reduce: { $0 * $1 }),
            Store(initialState: 1, reduce: { (state: Int, event: Int) in state * event }),
            Store(initialState: 1) { (state: Int, event: Int) in state * event },
            IntStore(initialState: 1, reducer: Reducer { $0 *= $1 }),
            IntStore(initialState: 1, reducer: .init { $0 * $1 }),
            IntStore(
                initialState: 1,
                reducer: .init(effects: { state, event in
                    state *= event
                    return .none
                })),
        ]
        for store in stores {
            #expect(store.state == 1)
            store.dispatch(5)
            #expect(store.state == 5)
        }
        #expect(Store(initialState: Counter(count: 4), reducer: Reducer()).state.count == 4)
    }

    static func product(_ state: Int, _ event: Int) -> Int { state * event }

    @Test func anUnlabelledTrailingClosureIsThePlainReducer() {
        enum Filter: Sendable { case none, all }
        let store = Store<Filter, Bool>(
            initialState: .all, reducer: Reducer { _, event in event ? .none : .all })
        store.dispatch(true)
        #expect(store.state == .none)
    }

    @Test func aStoreAppliesItsReducerToThePreviousState() {
        let store = Store(initialState: Counter(), reducer: Reducer())
        store.dispatch(.increase)
        store.dispatch(.increase)
        store.dispatch(.decrease)
        #expect(store.state == Counter(count: 1))
    }

    // MARK: The law

    @Test func aStoresStateIsCurrentWhenDispatchReturnsNestedOrNot() {
        let store = sum()
        let nested = TestLog<Int>()
        store.subscribe { [unowned store] _, new in
            guard new == 1 else { return }
            store.dispatch(10)
            nested.append(store.state)
        }
        store.dispatch(1)
        #expect(nested.elements == [11])
        #expect(store.state == 11)
    }

    @Test func everyObserverOfAStoreSeesConsecutivePairsThoughOneDispatches() {
        let store = sum()
        let tagged = TestLog<Tagged>()
        for observer in 0..<3 {
            store.subscribe { [unowned store] old, new in
                tagged.append(Tagged(observer: observer, pair: Pair(old, new)))
                if observer == 0, new == 1 { store.dispatch(1) }
            }
        }
        store.dispatch(1)
        for observer in 0..<3 {
            #expect(
                tagged.elements.filter { $0.observer == observer }.map(\.pair)
                    == [Pair(nil, 0), Pair(0, 1), Pair(1, 2)])
        }
        // All observers are notified of one change before any of them is notified of the next.
        #expect(tagged.elements.suffix(6).map(\.observer) == [0, 1, 2, 0, 1, 2])
    }

    @Test func dispatchingAndSubscribingNotifyObserversBeforeTheyReturn() {
        let store = sum(7)
        store.subscribe { seen.append(Pair($0, $1)) }
        #expect(seen.elements == [Pair(nil, 7)])
        store.dispatch(1)
        #expect(seen.elements == [Pair(nil, 7), Pair(7, 8)])
    }

    @Test func aNewObserverOfAStoreSeesTheStateOnceAndThenOnlyNewerOnes() {
        let store = sum()
        store.dispatch(5)
        store.subscribe { seen.append(Pair($0, $1)) }
        store.dispatch(0)
        #expect(seen.elements == [Pair(nil, 5), Pair(5, 5)])
    }

    @Test func subscribingWhileAnotherThreadNotifiesReturnsBeforeTheStateIsTold() {
        let store = sum()
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        store.subscribe { _, new in
            guard new == 1 else { return }
            entered.signal()
            leave.wait()
        }
        let done = DispatchSemaphore(value: 0)
        Thread {
            store.dispatch(1)
            done.signal()
        }.start()
        entered.wait()
        let seen = seen
        store.subscribe { seen.append(Pair($0, $1)) }
        store.dispatch(1)
        #expect(seen.elements.isEmpty)
        #expect(store.state == 2)
        leave.signal()
        done.wait()
        #expect(seen.elements == [Pair(nil, 1), Pair(1, 2)])
    }

    @Test func unsubscribingTwiceIsHarmlessAndRemovesOnlyThatObserver() {
        let store = sum()
        let observer: @Sendable (Int?, Int) -> Void = { [seen] in seen.append(Pair($0, $1)) }
        let first = store.subscribe(observer: observer)
        store.subscribe(observer: observer)
        store.dispatch(1)
        #expect(seen.elements.count == 4)
        first.cancel()
        first.cancel()
        store.dispatch(1)
        #expect(seen.elements.suffix(1) == [Pair(1, 2)])
        #expect(seen.elements.count == 5)
    }

    @Test func anObserverIsNotCalledAfterItIsUnsubscribedOnTheDrainingThread() {
        let store = sum()
        let tokens = Locked<[ObserverToken]>([])
        let seen = seen
        store.subscribe { _, new in
            if new == 1 { tokens.withLock { $0 }.forEach { $0.cancel() } }
        }
        for _ in 0..<2 {
            let token = store.subscribe { seen.append(Pair($0, $1)) }
            tokens.withLock { $0.append(token) }
        }
        store.dispatch(1)
        store.dispatch(1)
        #expect(seen.elements == [Pair(nil, 0), Pair(nil, 0)])
    }

    @Test func anUnsubscribedObserverIsNotToldTheStateThatWaitsForIt() {
        let store = sum()
        let seen = seen
        store.subscribe { [unowned store] _, new in
            guard new == 1 else { return }
            store.subscribe { seen.append(Pair($0, $1)) }.cancel()
        }
        store.dispatch(1)
        store.dispatch(1)
        #expect(seen.elements.isEmpty)
    }

    // MARK: Redux's table

    @Test func everyObserverOfAStoreIsToldTheStateOnceAndEachChangeOnce() {
        let store = sum()
        for _ in 0..<5 { store.subscribe { seen.append(Pair($0, $1)) } }
        #expect(seen.elements.count == 5)
        store.dispatch(1)
        #expect(seen.elements.count == 10)
    }

    @Test func anObserverThatUnsubscribesItselfLeavesTheOthersCalled() {
        let store = sum()
        let own = Locked<ObserverToken?>(nil)
        let calls = TestLog<Int>()
        store.subscribe { _, _ in calls.append(0) }
        let token = store.subscribe { old, _ in
            calls.append(1)
            if old != nil { own.withLock { $0 }?.cancel() }
        }
        own.withLock { $0 = token }
        store.subscribe { _, _ in calls.append(2) }
        store.dispatch(1)
        store.dispatch(1)
        #expect(calls.elements == [0, 1, 2, 0, 1, 2, 0, 2])
    }

    @Test func anObserverAddedWhileAStoreNotifiesSeesTheStateOnceAndThenOnlyNewerOnes() {
        let store = sum()
        let seen = seen
        store.subscribe { [unowned store] _, new in
            if new == 1 { store.subscribe { seen.append(Pair($0, $1)) } }
        }
        store.dispatch(1)
        #expect(seen.elements == [Pair(nil, 1)])
        store.dispatch(1)
        #expect(seen.elements == [Pair(nil, 1), Pair(1, 2)])
    }

    @Test func aNestedDispatchChangesTheStateOfTheOuterOne() {
        let store = Store<String, String>(initialState: "", reducer: Reducer { $0 + $1 })
        store.subscribe { [unowned store] _, new in
            if new == "a" { store.dispatch("b") }
            if new == "ab" { store.dispatch("c") }
        }
        store.dispatch("a")
        #expect(store.state == "abc")
    }

    @Test func aStoresStateIsUpToDateInsideAnObserver() {
        let store = sum()
        let states = TestLog<Int>()
        store.subscribe { [unowned store] _, _ in states.append(store.state) }
        store.dispatch(3)
        #expect(states.elements == [0, 3])
    }

    @Test func manyNestedDispatchesNeedNoStack() {
        let store = sum()
        store.subscribe { [unowned store] _, new in
            if new < 200_000 { store.dispatch(1) }
        }
        #expect(store.state == 200_000)
    }

    // MARK: Lifetime

    @Test func nothingKeepsAStoreAliveThatNobodyHolds() {
        weak var gone: IntStore?
        let token = TestLog<Int>()
        weak var captured: TestLog<Int>?
        do {
            let store = sum()
            let inside = TestLog<Int>()
            captured = inside
            store.subscribe { _, new in inside.append(new) }
            gone = store
            token.append(store.state)
        }
        #expect(gone == nil)
        #expect(captured == nil)
    }

    @Test func anObserverMayReleaseTheStore() {
        let holder = Locked<IntStore?>(sum())
        let seen = seen
        holder.withLock { $0 }?.subscribe { old, new in
            seen.append(Pair(old, new))
            if old != nil { holder.withLock { $0 = nil } }
        }
        holder.withLock { $0 }?.dispatch(1)
        #expect(seen.elements == [Pair(nil, 0), Pair(0, 1)])
        #expect(holder.withLock { $0 } == nil)
    }

    // MARK: The reducer must be pure

    @Test func dispatchingFromTheReducerTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let holder = Locked<IntStore?>(nil)
            let store = IntStore(
                initialState: 0,
                reducer: Reducer { state, event in
                    holder.withLock { $0 }?.dispatch(1)
                    return state + event
                })
            holder.withLock { $0 = store }
            store.dispatch(1)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("a reducer of Int tried to dispatch"))
    }

    @Test func readingTheStateInTheReducerTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let holder = Locked<IntStore?>(nil)
            let store = IntStore(
                initialState: 0,
                reducer: Reducer { state, event in (holder.withLock { $0 }?.state ?? 0) + event })
            holder.withLock { $0 = store }
            store.dispatch(1)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("tried to read the state"))
    }

    @Test func aReducerMayUseAnotherStore() {
        let other = sum()
        let store = IntStore(
            initialState: 0,
            reducer: Reducer { state, event in
                other.dispatch(event)
                return state + event
            })
        store.dispatch(2)
        #expect(other.state == 2)
    }
}

@Suite struct StoreStatesTests {
    @Test func aBusyLoopOverAStoresStatesGetsTheNewestOne() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        var states = store.states.makeAsyncIterator()
        #expect(await states.next() == 0)
        for _ in 0..<10 { store.dispatch(1) }
        #expect(await states.next() == 10)
    }

    @Test func theStatesOfAStoreEndWhenItGoesAndDoNotKeepIt() async {
        var store: Store<Int, Int>? = Store(initialState: 0, reducer: Reducer { $0 + $1 })
        weak let gone = store
        var states = store?.states.makeAsyncIterator()
        let derived = store?.derived { $0 % 2 }
        _ = derived
        store?.dispatch(4)
        store = nil
        #expect(gone != nil)  // The derived store keeps it.
        _ = consume derived
        #expect(await states?.next() == 4)
        #expect(await states?.next() == nil)
        #expect(gone == nil)
    }

    @Test func eachAccessToAStoresStatesIsASequenceOfItsOwn() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        var (first, second) = (store.states.makeAsyncIterator(), store.states.makeAsyncIterator())
        store.dispatch(2)
        #expect(await first.next() == 2)
        #expect(await second.next() == 2)
    }

    @Test func aDerivedStoresStatesAreItsChanges() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let half = store.derived { $0 / 2 }
        var states = half.states.makeAsyncIterator()
        #expect(await states.next() == 0)
        store.dispatch(1)
        store.dispatch(3)
        #expect(await states.next() == 2)
    }

    @Test func aCancelledLoopOverAStoresStatesEndsAndTheStoreGoesOn() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let task = Task { for await _ in store.states {} }
        task.cancel()
        await task.value
        store.dispatch(1)
        #expect(store.state == 1)
    }
}

@Suite(.oneAtATime) struct SubscriptionTests {
    let store = Store<[Int], Int>(initialState: [], reducer: Reducer { $0 + [$1] })
    let seen = TestLog<String>()

    @Test func aScopedSubscriptionEndsWithItsOwner() {
        var whole: ScopedObserver? = store.subscribe { [seen] _, new in seen.append("\(new)") }
            .scoped()
        var last: ScopedObserver? = store.derived(\.last).subscribe { [seen] _, new in
            seen.append("last \(new ?? 0)")
        }.scoped()
        store.dispatch(7)
        #expect(seen.elements == ["[]", "last 0", "[7]", "last 7"])
        withExtendedLifetime((whole, last)) {}
        (whole, last) = (nil, nil)
        store.dispatch(8)
        #expect(seen.elements.count == 4)
    }

    @Test func aScopedSubscriptionCanBeCancelledBeforeItsOwnerGoes() {
        let scope = store.subscribe { [seen] _, new in seen.append("\(new)") }.scoped()
        scope.cancel()
        scope.cancel()
        store.dispatch(7)
        #expect(seen.elements == ["[]"])
    }

    @Test func aSubscriptionWithoutAScopeLivesAsLongAsTheStore() {
        var store: Store<[Int], Int>? = Store(initialState: [], reducer: Reducer { $0 + [$1] })
        let ends = TestLog<String>()
        do {
            let (whole, part) = (
                OnDeinit { ends.append("whole") }, OnDeinit { ends.append("part") }
            )
            store?.subscribe { [seen] _, new in
                whole.use()
                seen.append("\(new)")
            }
            store?.derived(\.count).subscribe { [seen] _, new in
                part.use()
                seen.append("\(new)")
            }
        }
        store?.dispatch(7)
        #expect(seen.elements == ["[]", "0", "[7]", "1"])
        #expect(ends.elements.isEmpty)
        store = nil
        #expect(ends.elements.sorted() == ["part", "whole"])
    }

    @Test func aSubscriptionDoesNotKeepTheStore() {
        var store: Store<[Int], Int>? = Store(initialState: [], reducer: Reducer { $0 + [$1] })
        weak let gone = store
        let whole = store?.subscribe { _, _ in }
        let part = store?.derived(\.count).subscribe { _, _ in }
        store = nil
        #expect(gone == nil)
        whole?.cancel()
        part?.cancel()
    }

    @Test @MainActor func aScopedSubscriptionEndsOnTheMainActor() async {
        var scopes = [
            store.subscribe(on: .shared) { [seen] _, new in seen.append("\(new)") },
            store.derived(\.count).subscribe(on: .shared) { [seen] _, new in
                seen.append("\(new)")
            },
        ].map { $0.scoped() }
        await mainQueue()
        #expect(seen.elements == ["[]", "0"])
        store.dispatch(7)
        scopes = []
        await mainQueue()
        #expect(scopes.isEmpty && seen.elements.count == 2)
    }

    @Test @MainActor func aSubscriptionWithoutAScopeGoesOnOnTheMainActor() async {
        store.subscribe(on: .shared) { [seen] _, new in seen.append("\(new)") }
        store.dispatch(7)
        await mainQueue()
        #expect(seen.elements == ["[]", "[7]"])
    }

    /// Returns after everything that is on the main queue now has run.
    private func mainQueue() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }
}

/// One call of an observer.
struct Pair<State: Equatable & Sendable>: Equatable, Sendable, CustomStringConvertible {
    var old: State?
    var new: State

    init(_ old: State?, _ new: State) { (self.old, self.new) = (old, new) }

    var description: String { "\(old.map { "\($0)" } ?? "nil")→\(new)" }
}
