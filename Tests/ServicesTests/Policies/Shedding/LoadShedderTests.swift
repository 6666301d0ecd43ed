import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite struct LoadShedderTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    private func service(_ shedder: LoadShedder, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler), .loadShedding(sharing: shedder),
            over: upstream.send)
    }

    private func call(
        _ service: Service<Ask, Int>, _ number: Int, _ priority: CallPriority
    ) -> Future<Int> {
        CallContext.current.with(priority: priority).run { service(Ask(number)) }
    }

    @Test func byDefault64AreInFlightAnd1000Wait() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(on: scheduler)
        let service = service(shedder, upstream)
        let calls = (1...1_065).map { service(Ask($0)) }
        #expect(shedder.inFlight == 64 && shedder.queued == 1_000)
        #expect(calls.count { $0.result == nil } == 1_064)
        let error = calls.last?.serviceError
        #expect(error?.code == .shed && error?.policy == "shed")
        #expect(error?.isRefusal == true && error?.isCertainlyUnsent == true)
    }

    @Test func theMostImportantIsServedFirstInItsOwnContext() {
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 5))
        let shedder = LoadShedder(limit: 1, on: scheduler)
        let seen = Locked<[CallPriority]>([])
        let service = stack(
            .loadShedding(sharing: shedder),
            over: { (ask: Ask) in
                seen.withLock { $0.append(CallContext.current.priority) }
                return upstream.send(ask)
            })
        let order: [CallPriority] = [.critical, .sheddable, .sheddablePlus, .criticalPlus]
        let calls = order.enumerated().map { call(service, $0, $1) }
        scheduler.run()
        #expect(calls.allSatisfy { $0.valueNow == 1 })
        #expect(upstream.arrivals.map(\.ask.number) == [0, 3, 2, 1])
        #expect(seen.withLock { $0 } == [.critical, .criticalPlus, .sheddablePlus, .sheddable])
        #expect(shedder.inFlight == 0)
    }

    @Test func aMoreImportantCallDisplacesOneThatWaits() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(named: "work", limit: 1, queue: 1, on: scheduler)
        let service = service(shedder, upstream)
        _ = call(service, 1, .sheddable)
        let waiting = call(service, 2, .sheddable)
        let important = call(service, 3, .critical)
        #expect(waiting.serviceError?.code == .shed)
        #expect(waiting.serviceError?.policyName == "work")
        #expect(important.result == nil)
        #expect(call(service, 4, .critical).serviceError?.code == .shed)
        #expect(log.lines.count { $0.contains("shed refused") } == 2)
        // The displaced call leaves nothing behind: neither a timer nor a place.
        upstream.settle(0, .success(1))
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3])
        upstream.settle(1, .success(3))
        #expect(important.valueNow == 3)
        #expect(shedder.inFlight == 0 && shedder.queued == 0 && scheduler.isIdle)
    }

    @Test func aCallThatGrowsOldIsRefused() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, on: scheduler)
        let service = service(shedder, upstream)
        _ = service(1)
        let early = service(2)
        scheduler.advance(by: .milliseconds(99))
        let middle = service(3)
        #expect(!shedder.isOverloaded)
        scheduler.advance(by: .milliseconds(1))
        #expect(early.serviceError?.code == .queueTimedOut)
        #expect(early.serviceError?.limit == .milliseconds(100))
        #expect(shedder.isOverloaded)
        let late = service(4)
        scheduler.advance(by: .milliseconds(5))
        #expect(late.serviceError?.limit == .milliseconds(5))
        #expect(middle.result == nil)
        upstream.settle(0, .success(1))
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3])
        #expect(scheduler.isIdle)
        #expect(
            log.lines.filter { $0.contains(" shed ") } == [
                "0 1 shed queued(length: 1)",
                "99 1 shed queued(length: 2)",
                "100 1 shed refused(shed: refused: no place within the queue's timeout of 0.1 "
                    + "seconds)",
                "100 1 shed queued(length: 2)",
                "105 1 shed refused(shed: refused: no place within the queue's timeout of 0.005 "
                    + "seconds)",
                "105 1 shed dequeued(after: 0.006 seconds)",
            ])
    }

    @Test func byDefaultTheOldestIsServedFirstInOverloadToo() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, on: scheduler)
        let service = service(shedder, upstream)
        var calls = [service(1), service(2)]
        scheduler.advance(by: .milliseconds(99))
        calls.append(service(3))
        scheduler.advance(by: .milliseconds(1))
        #expect(shedder.isOverloaded)
        calls.append(service(4))
        upstream.settle(0, .success(1))
        upstream.settle(1, .success(3))
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3, 4])
        #expect(calls.map { $0.result == nil } == [false, false, false, true])
    }

    @Test func aWaitingCallThatIsCancelledLeaves() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, on: scheduler)
        let service = service(shedder, upstream)
        let calls = (1...3).map { service(Ask($0)) }
        calls[1].cancel()
        #expect(shedder.queued == 1)
        calls[0].cancel()
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3])
        calls[2].cancel()
        #expect(shedder.inFlight == 0 && upstream.cancelled == 2 && scheduler.isIdle)
        #expect(!log.lines.contains { $0.contains("refused") })
    }

    /// Under twice the load that can be served, the waits stay short, and critical calls are served.
    @Test(arguments: [LoadShedder.Order.oldestFirst, .newestFirstInOverload])
    func inOverloadWaitsAreShortAndCriticalCallsAreServed(_ order: LoadShedder.Order) {
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 10_000))
        let shedder = LoadShedder(limit: 4, order: order, on: scheduler)
        let service = service(shedder, upstream)
        var calls: [(CallPriority, Future<Int>)] = []
        // Four places serve 400 calls a second; 800 come, a quarter of them critical.
        for number in 0..<1_600 {
            let priority: CallPriority = number % 4 == 0 ? .critical : .sheddable
            calls.append((priority, call(service, number, priority)))
            scheduler.advance(by: .microseconds(1_250))
        }
        scheduler.run()
        let critical = calls.filter { $0.0 == .critical }.count { $0.1.valueNow == nil }
        #expect(critical == 0)
        let served = calls.count { $0.1.valueNow != nil }
        #expect((750...850).contains(served))
        let waits = log.elements.compactMap { event -> Duration? in
            guard case .dequeued(let time) = event.kind,
                event.instant.offset > .milliseconds(300)
            else { return nil }
            return time
        }
        #expect(waits.count > 300)
        // The newest first, some that were patient wait for long.
        let late = waits.count { $0 > .milliseconds(20) }
        #expect(order == .oldestFirst ? late == 0 : late * 4 < waits.count)
    }

    @Test func withoutAQueueItRefuses() {
        let upstream = Upstream(on: scheduler)
        let service = service(LoadShedder(limit: 1, queue: 0, on: scheduler), upstream)
        _ = call(service, 1, .sheddable)
        #expect(call(service, 2, .criticalPlus).serviceError?.code == .shed)
    }
}
