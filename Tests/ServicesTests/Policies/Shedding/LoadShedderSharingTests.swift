import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// A load shedder used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct LoadShedderSharingTests {
    let scheduler = ManualScheduler()

    /// Four threads call with all priorities, answer, cancel, and move the clock.
    @Test(arguments: [LoadShedder.Order.oldestFirst, .newestFirstInOverload])
    func threadsKeepTheLimitAndLoseNoPlace(_ order: LoadShedder.Order) {
        let shedder = LoadShedder(
            limit: 3, queue: 5, target: .milliseconds(1), interval: .milliseconds(3),
            order: order, on: scheduler)
        let upstream = ContendedService(on: scheduler)
        let service = stack(.loadShedding(sharing: shedder), over: upstream.send)
        let settled = upstream.contend { ask, number in
            let priority = CallPriority.allCases[number % 4]
            return CallContext.current.with(priority: priority).run { service(ask) }
        }
        #expect(settled == 8_000)
        #expect(upstream.mostAtOnce <= 3)
        #expect(upstream.isIdle)
        #expect(shedder.inFlight == 0 && shedder.queued == 0)
        #expect(scheduler.isIdle)
    }

    /// A caller whose call is displaced may call again at once, since no lock is held.
    @Test func whoIsDisplacedMayCallAtOnce() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, queue: 1, on: scheduler)
        let service = stack(.loadShedding(sharing: shedder), over: upstream.send)
        let next = Locked<Future<Int>?>(nil)
        _ = service(1)
        let waiting = CallContext.current.with(priority: .sheddable).run { service(2) }
        waiting.observe { _ in
            let call = CallContext.current.with(priority: .criticalPlus).run { service(4) }
            next.withLock { $0 = call }
        }
        let displaced = service(3)
        #expect(waiting.serviceError?.code == .shed)
        #expect(displaced.serviceError?.code == .shed)
        upstream.settle(0, .success(1))
        #expect(upstream.arrivals.map(\.ask.number) == [1, 4])
        #expect(next.withLock { $0 } != nil)
    }

    @Test func aLongQueueNeedsNoStack() {
        let count = 20_000
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, queue: count, on: scheduler)
        let service = stack(
            .loadShedding(sharing: shedder),
            over: { (ask: Ask) in
                ask.number == 0 ? upstream.send(ask) : Future(value: ask.number)
            })
        let calls = (0...count).map { service(Ask($0)) }
        upstream.settle(0, .success(0))
        #expect(calls.enumerated().allSatisfy { $1.valueNow == $0 })
        #expect(shedder.inFlight == 0 && scheduler.isIdle)
    }
}
