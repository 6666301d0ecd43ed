import Dispatch
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct CoalescerTests {
    let scheduler = ManualScheduler()

    /// Compared with lists of the callers of each call, over random calls, cancellations and ends.
    @Test(arguments: 0..<20) func agreesWithASequentialOracle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let upstream = Upstream(on: scheduler)
        let group = Coalescer<Ask, Int>()
        let load = stack(.coalesce(sharing: group), over: upstream.send)
        var futures: [Future<Int>] = []
        var expected: [Int: String] = [:]
        /// The calls that are under way, their callers, and whether others may join.
        var flights: [(key: Int, call: Int, callers: [Int], isOpen: Bool)] = []
        var (count, cancelled) = (0, 0)
        for step in 0..<500 {
            let key = Int.random(in: 0..<4, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<12:
                futures.append(load(Ask(key)))
                if !flights.contains(where: { $0.key == key && $0.isOpen }) {
                    flights.append((key, count, [], true))
                    count += 1
                }
                for index in flights.indices
                where flights[index].key == key && flights[index].isOpen {
                    flights[index].callers.append(futures.count - 1)
                }
            case 12..<16:
                guard !futures.isEmpty else { continue }
                let caller = Int.random(in: futures.indices, using: &generator)
                futures[caller].cancel()
                guard expected[caller] == nil else { continue }
                expected[caller] = "cancelled"
                for index in flights.indices { flights[index].callers.removeAll { $0 == caller } }
                cancelled += flights.count { $0.callers.isEmpty }
                flights.removeAll { $0.callers.isEmpty }
            case 16:
                let isAll = Int.random(in: 0..<4, using: &generator) == 0
                if isAll { group.invalidateAll() } else { group.invalidate(Ask(key)) }
                for index in flights.indices where isAll || flights[index].key == key {
                    flights[index].isOpen = false
                }
            default:
                guard let index = flights.indices.randomElement(using: &generator) else { continue }
                let flight = flights.remove(at: index)
                for caller in flight.callers { expected[caller] = "\(step)" }
                upstream.settle(flight.call, .success(step))
            }
            #expect(upstream.count == count)
            #expect(upstream.cancelled == cancelled)
            #expect(group.count == flights.count)
        }
        for (caller, future) in futures.enumerated() {
            let result = future.isCancelled ? "cancelled" : future.valueNow.map { "\($0)" }
            #expect(result == expected[caller])
        }
    }

    /// Threads call, cancel and wait, while others answer: each call settles, and each call without callers
    /// is cancelled.
    @Test func threadsShareAGroup() {
        let calls = Locked<[Promise<Int>]>([])
        let (begun, ended, cancelled) = (Locked(0), Locked(0), Locked(0))
        let group = Coalescer<Int, Int>()
        let load = stack(
            .coalesce(sharing: group),
            over: { (key: Int) in
                let promise = Promise<Int>()
                promise.onCancel { cancelled.withLock { $0 += 1 } }
                begun.withLock { $0 += 1 }
                calls.withLock { $0.append(promise) }
                return promise
            })
        let settled = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for step in 0..<2_000 {
                let future = load(step % 3)
                future.observe { _ in settled.withLock { $0 += 1 } }
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: future.cancel()
                case 1:
                    let promise = calls.withLock { $0.popLast() }
                    if promise?.resolve(with: step) == true { ended.withLock { $0 += 1 } }
                default: break
                }
            }
        }
        while let promise = calls.withLock({ $0.popLast() }) {
            if promise.resolve(with: 0) { ended.withLock { $0 += 1 } }
        }
        #expect(settled.withLock { $0 } == 8_000)
        #expect(group.count == 0)
        #expect(ended.withLock { $0 } + cancelled.withLock { $0 } == begun.withLock { $0 })
    }

    @Test func whoComesAfterAnInvalidationMakesANewCall() {
        let group = Coalescer<Ask, Int>()
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.coalesce(sharing: group), over: upstream.send)
        let before = [load(1), load(2)]
        group.invalidate(1)
        let after = [load(1), load(1), load(2)]
        scheduler.run()
        #expect(before.map(\.valueNow) == [1, 2])
        #expect(after.map(\.valueNow) == [3, 3, 2])
        #expect(group.count == 0)
    }

    @Test func theLastOfManyThreadsToLeaveCancelsOnce() {
        for _ in 0..<200 {
            let cancelled = Locked(0)
            let promise = Promise<Int>()
            promise.onCancel { cancelled.withLock { $0 += 1 } }
            let load = stack(.coalesce(), over: { (key: Int) in promise as Future<Int> })
            let futures = (0..<40).map { _ in load(1) }
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for index in stride(from: thread, to: 40, by: 4) { futures[index].cancel() }
            }
            #expect(cancelled.withLock { $0 } == 1)
        }
    }

    @Test func aGroupHoldsNothingAfterwards() {
        let group = Coalescer<Ask, Int>()
        weak var luggage: Luggage?
        do {
            let held = Luggage()
            luggage = held
            let upstream = Upstream(on: scheduler, [.value(7), .never])
            let load = stack(.coalesce(sharing: group), over: upstream.send)
            _ = load(Ask(1, luggage: held))
            _ = load(Ask(1, luggage: held))
            scheduler.run()
            let call = load(Ask(1, luggage: held))
            let other = load(Ask(1, luggage: held))
            call.cancel()
            other.cancel()
        }
        #expect(luggage == nil)
    }
}
