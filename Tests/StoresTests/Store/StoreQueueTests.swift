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
                    store.dispatch(event: 1)
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

    @Test func aDispatchReturnsThoughOthersGoOnDispatching() async {
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
        store.dispatch(event: 1)
        hasReturned.withLock { $0 = true }
        #expect(calls.withLock { $0 } < 50_000)
        #expect(await comesTrue { calls.withLock { $0 } == store.state })
        #expect(!isBroken.withLock { $0 })
        other.end()
    }

    @Test func oneThreadSeesAllThatItsDispatchCausesBeforeItReturns() {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let (calls, threads) = (Locked(0), Locked<Set<UInt>>([]))
        store.subscribe { [unowned store] old, new in
            calls.withLock { $0 += 1 }
            threads.withLock { _ = $0.insert(threadIdentity()) }
            if old != nil, new < 20_000 { store.dispatch(event: 1) }
        }
        store.dispatch(event: 1)
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
        store.dispatch(event: 1)
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
        Thread { store.dispatch(event: 1) }.start()
        return (store, go, seen)
    }

    @Test func aDispatchWaitsForAPlaceInTheQueue() async {
        let (store, go, seen) = stopped(at: 3)
        #expect(await comesTrue { store.state == 1 })
        for _ in 0..<3 { store.dispatch(event: 1) }
        let returned = Locked(0)
        for _ in 0..<2 {
            Thread {
                store.dispatch(event: 1)
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

    @Test func theDrainingThreadNeverWaits() {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 }, queueLimit: 1)
        let seen = TestLog<Int>()
        store.subscribe { [unowned store] old, new in
            seen.append(new)
            if old == 0 { for _ in 0..<10 { store.dispatch(event: 1) } }
        }
        store.dispatch(event: 1)
        #expect(seen.elements == Array(0...11))
    }

    @Test func aReleasedStoreLetsThoseGoThatWait() async {
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

    @Test(arguments: [1, 2, 5]) func aLimitedQueueLosesNothingAndStaysShort(limit: Int) async {
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
        onThreads(8) { _ in for _ in 0..<2_000 { store.dispatch(event: 1) } }
        #expect(await comesTrue { chain.last == 16_000 })
        #expect(chain.broken == 0)
        #expect(longest.withLock { $0 } <= limit + 8)
    }

    #if os(Linux) || os(macOS)
    @Test func aLongQueueIsReportedOnceWithTheObserversLine() async {
        await #expect(processExitsWith: .success) {
            let reports = TestLog<String>()
            FutureDiagnostics.send { reports.append($0) }
            let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
            let go = DispatchSemaphore(value: 0)
            store.subscribe { _, _ in }
            store.subscribe(fileID: "Test/Screen.swift", line: 7) { old, _ in
                if old == 0 { go.wait() }
            }
            Thread { store.dispatch(event: 1) }.start()
            let isStopped = await comesTrue { store.state == 1 }
            precondition(isStopped, "the observer stops")
            for _ in 0..<9_999 { store.dispatch(event: 1) }
            precondition(reports.elements.isEmpty, "not yet")
            for _ in 0..<20_000 { store.dispatch(event: 1) }
            precondition(reports.elements.count == 1, "once")
            precondition(reports.elements[0].contains("Test/Screen.swift:7"), "it names the line")
            go.signal()
        }
    }
    #endif
}
