import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// An adaptive limit used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct AdaptiveConcurrencySharingTests {
    let scheduler = ManualScheduler()

    static let algorithms: [(String, ConcurrencyLimitAlgorithm)] = [
        ("aimd", .aimd(initial: 3, minimum: 1, maximum: 5)),
        ("vegas", .vegas(initial: 3, maximum: 5)),
        ("gradient", .gradient(minimum: 2, maximum: 5, window: .zero)),
        ("correlation", .correlation(initial: 3, maximum: 5)),
    ]

    @Test func whoHearsOfAnAnswerMayCallAtOnce() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let limit = AdaptiveConcurrency(
            algorithm: .aimd(initial: 1, minimum: 1, maximum: 1), on: scheduler)
        let service = stack(.adaptiveConcurrency(sharing: limit), over: upstream.send)
        let next = Locked<Future<Int>?>(nil)
        service(1).observe { _ in
            let call = service(2)
            next.withLock { $0 = call }
        }
        scheduler.run()
        #expect(next.withLock { $0 }?.valueNow == 2)
    }

    @Test func aLongQueueNeedsNoStack() {
        let count = 20_000
        let upstream = Upstream(on: scheduler)
        let limit = AdaptiveConcurrency(
            algorithm: .aimd(initial: 1, minimum: 1, maximum: 1), queue: count, on: scheduler)
        let service = stack(
            .adaptiveConcurrency(sharing: limit),
            over: { (ask: Ask) in
                ask.number == 0 ? upstream.send(ask) : Future(value: ask.number)
            })
        let calls = (0...count).map { service(Ask($0)) }
        #expect(limit.queued == count)
        upstream.settle(0, .success(0))
        #expect(calls.enumerated().allSatisfy { $1.valueNow == $0 })
        #expect((limit.inFlight, limit.queued) == (0, 0))
    }

    /// Four threads call, answer, fail, cancel, and move the clock.
    @Test(arguments: algorithms.indices)
    func threadsKeepTheLimitAndLoseNoPlace(index: Int) {
        let limit = AdaptiveConcurrency(
            algorithm: Self.algorithms[index].1, queue: 5, queueTimeout: .milliseconds(2),
            on: scheduler, random: .seeded(1))
        let upstream = ContendedService(on: scheduler, failsEach: 7)
        let service = stack(.adaptiveConcurrency(sharing: limit), over: upstream.send)
        let settled = upstream.contend { ask, _ in
            let now = limit.limit
            if !(1...5).contains(now) { Issue.record("a limit of \(now)") }
            return service(ask)
        }
        #expect(settled == 8_000)
        #expect(upstream.mostAtOnce <= 5)
        #expect(upstream.isIdle)
        #expect((limit.inFlight, limit.queued) == (0, 0))
        #expect(scheduler.isIdle)
    }
}
