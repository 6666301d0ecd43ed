import Foundation
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

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

    @Test func eightThreadsDispatchAndEveryObserverSeesConsecutivePairs() async {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let early = Chain()
        store.subscribe(observer: early.add)
        let late = Locked<[Chain]>([])
        let events = 12_500
        onThreads(8) { _ in
            for index in 1...events {
                store.dispatch(event: 1)
                guard index % 2500 == 0 else { continue }
                let chain = Chain()
                late.withLock { $0.append(chain) }
                store.subscribe(observer: chain.add)
            }
        }
        store.dispatch(event: 0)
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

    @Test func noObserverIsCalledByTwoThreadsAtOnce() {
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
        onThreads(4) { _ in for _ in 0..<5000 { store.dispatch(event: 1) } }
        #expect(overlaps.withLock { $0 } == 0)
        #expect(store.state == 20_000)
    }

    @Test func threadsSubscribeAndUnsubscribeWhileOthersDispatch() {
        let store = Store<Int, Int>(initialState: 0, reducer: Reducer { $0 + $1 })
        let half = store.derived { $0 / 2 }
        let broken = Locked(0)
        onThreads(4) { index in
            for _ in 0..<1000 {
                if index < 2 {
                    store.dispatch(event: 1)
                } else {
                    let last = Locked<Int?>(nil)
                    let id = half.subscribe { old, new in
                        last.withLock { last in
                            if old != last { broken.withLock { $0 += 1 } }
                            last = new
                        }
                    }
                    store.dispatch(event: 1)
                    half.unsubscribe(id)
                }
            }
        }
        #expect(broken.withLock { $0 } == 0)
        #expect(store.state == 4000)
    }
}
