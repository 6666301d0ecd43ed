import Dispatch
import Foundation
import PledgeFutures
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

@Suite(.oneAtATime) struct ResultDeliveryTests {
    private let log = TestLog<Int>()

    /// Jobs that record their numbers.
    private func jobs(_ numbers: Range<Int>) -> [ResultDelivery.Job] {
        numbers.map { number in ResultDelivery.Job { [log] in log.append(number) } }
    }

    @Test func inlineRunsHereInOrder() {
        let delivery = ResultDelivery(.inline)
        var all = jobs(0..<100)
        delivery.deliver(&all)
        delivery.deliver { [log] in log.append(100) }
        #expect(log.elements == Array(0...100))
        #expect(all.isEmpty)
    }

    @Test func serialRunsOnItsQueueInOrder() async {
        let queue = DispatchQueue(label: "results")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let delivery = ResultDelivery(.serial(queue))
        let isElsewhere = Locked(false)
        for start in stride(from: 0, to: 1_000, by: 10) {
            var some = jobs(start..<(start + 10))
            delivery.deliver(&some)
            #expect(some.isEmpty)
            delivery.deliver {
                if DispatchQueue.getSpecific(key: key) == nil { isElsewhere.withLock { $0 = true } }
            }
        }
        #expect(await comesTrue { log.elements.count == 1_000 })
        #expect(log.elements == Array(0..<1_000))
        #expect(!isElsewhere.withLock { $0 })
    }

    @Test func concurrentRunsEachJobOnce() async {
        let delivery = ResultDelivery(.concurrent)
        for start in stride(from: 0, to: 10_000, by: 7) {
            var some = jobs(start..<(start + 7))
            delivery.deliver(&some)
            #expect(some.isEmpty)
        }
        #expect(await comesTrue { log.elements.count == 10_003 })
        #expect(Set(log.elements).count == 10_003)
    }

    @Test func aJobThatBlocksHoldsUpNoOther() async {
        let delivery = ResultDelivery(.concurrent)
        let gate = DispatchSemaphore(value: 0)
        // One among others, and one before another.
        var some = [ResultDelivery.Job { gate.wait() }] + jobs(0..<10)
        delivery.deliver(&some)
        delivery.deliver { gate.wait() }
        delivery.deliver { [log] in log.append(10) }
        #expect(await comesTrue { log.elements.count == 11 })
        #expect(Set(log.elements) == Set(0..<11))
        for _ in 0..<2 { gate.signal() }
    }

    @Test func aJobIsFreedOnceItHasRun() async {
        for delivery in [CurlTransport.Delivery.concurrent, .serial(DispatchQueue(label: "one"))] {
            let delivery = ResultDelivery(delivery)
            let freed = Promise<Void>()
            do {
                let tracked = OnDeinit { freed.resolve() }
                var some = [ResultDelivery.Job { tracked.use() }] + jobs(0..<3)
                delivery.deliver(&some)
            }
            #expect(await comesTrue { freed.isSettled })
        }
    }
}
