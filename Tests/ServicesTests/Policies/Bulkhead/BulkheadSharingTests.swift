import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// A bulkhead used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct BulkheadSharingTests {
    let scheduler = ManualScheduler()

    @Test func whoHearsOfAnAnswerMayCallAtOnce() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let service = stack(
            .bulkhead(sharing: Bulkhead(limit: 1, on: scheduler)), over: upstream.send)
        let next = Locked<Future<Int>?>(nil)
        service(1).observe { _ in
            let call = service(2)
            next.withLock { $0 = call }
        }
        scheduler.run()
        #expect(next.withLock { $0 }?.valueNow == 2)
    }

    /// The stack may be called, since no lock is held.
    @Test func observersAndServicesMayCallTheStackItself() {
        let bulkhead = Bulkhead(limit: 2, queue: 1, on: scheduler)
        let again = Locked<(@Sendable () -> Future<Int>)?>(nil)
        let isNested = Locked(false)
        let nested = Locked<[Future<Int>]>([])
        let nest: @Sendable () -> Void = {
            let isFirst = isNested.withLock { nested in
                defer { nested = true }
                return !nested
            }
            // Each end begins another call, up to a limit.
            guard isFirst, nested.withLock({ $0.count < 50 }) else { return }
            if let call = again.withLock({ $0 })?() { nested.withLock { $0.append(call) } }
            isNested.withLock { $0 = false }
        }
        let upstream = Upstream(on: scheduler, Array(repeating: .value(7), count: 100))
        let service = stack(
            .observed(by: ServiceObserver { _ in nest() }, on: scheduler),
            .bulkhead(sharing: bulkhead),
            over: { (ask: Ask) in
                nest()
                return upstream.send(ask)
            })
        again.withLock { $0 = { service(0) } }
        let calls = (1...5).map { service(Ask($0)) }
        scheduler.run()
        #expect(nested.withLock { $0.count } == 50)
        for call in calls + nested.withLock({ $0 }) {
            #expect(call.valueNow == 7 || call.serviceError?.code == .bulkheadFull)
        }
        #expect(bulkhead.inFlight == 0)
        #expect(bulkhead.queued == 0)
        again.withLock { $0 = nil }
    }

    @Test(arguments: [false, true])
    func aLongQueueNeedsNoStack(hasTimeout: Bool) {
        let count = 20_000
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(
            limit: 1, queue: count, queueTimeout: hasTimeout ? .seconds(9) : nil, on: scheduler)
        let service = stack(
            .bulkhead(sharing: bulkhead),
            over: { (ask: Ask) in
                ask.number == 0 ? upstream.send(ask) : Future(value: ask.number)
            })
        let calls = (0...count).map { service(Ask($0)) }
        #expect(bulkhead.queued == count)
        upstream.settle(0, .success(0))
        #expect(calls.enumerated().allSatisfy { $1.valueNow == $0 })
        #expect(bulkhead.inFlight == 0)
        #expect(scheduler.isIdle)
    }

    @Test func aLongQueueThatIsCancelledNeedsNoStack() {
        let count = 20_000
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 1, queue: count, on: scheduler)
        let service = stack(.bulkhead(sharing: bulkhead), over: upstream.send)
        let calls = (0...count).map { service(Ask($0)) }
        for call in calls.reversed() { call.cancel() }
        #expect(upstream.count == 1)
        #expect(bulkhead.inFlight == 0)
        #expect(bulkhead.queued == 0)
    }

    /// Four threads call, answer, cancel, and move the clock.
    @Test func threadsKeepTheLimitAndLoseNoPlace() {
        let bulkhead = Bulkhead(
            limit: 3, queue: 5, queueTimeout: .milliseconds(2), on: scheduler)
        let upstream = ContendedService(on: scheduler)
        let service = stack(.bulkhead(sharing: bulkhead), over: upstream.send)
        #expect(upstream.contend { ask, _ in service(ask) } == 8_000)
        #expect(upstream.mostAtOnce <= 3)
        #expect(upstream.isIdle)
        #expect(bulkhead.inFlight == 0)
        #expect(bulkhead.queued == 0)
        #expect(scheduler.isIdle)
    }

    @Test func answersFromOtherThreadsMakeRoom() async throws {
        let service = stack(
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 100, on: scheduler)),
            over: { (ask: Ask) in
                Future<Int> {
                    await Task.yield()
                    return ask.number
                }
            })
        let calls = (0..<100).map { service(Ask($0)) }
        for (number, call) in calls.enumerated() {
            #expect(try await call.value == number)
        }
    }
}
