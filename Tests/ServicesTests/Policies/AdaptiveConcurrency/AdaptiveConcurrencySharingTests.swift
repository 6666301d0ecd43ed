import Dispatch
import Futures
import Services
import Testing

/// An adaptive limit used by several threads, and by the functions that it calls.
@Suite(.timeLimit(.minutes(10))) struct AdaptiveConcurrencySharingTests {
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
        let scheduler = scheduler
        let calls = Locked((now: Set<Int>(), most: 0)), settled = Locked(0)
        let service = stack(
            .adaptiveConcurrency(sharing: limit),
            over: { (ask: Ask) -> Future<Int> in
                calls.withLock { calls in
                    calls.now.insert(ask.number)
                    calls.most = max(calls.most, calls.now.count)
                }
                let end: @Sendable () -> Void = {
                    _ = calls.withLock { $0.now.remove(ask.number) }
                }
                let promise = Promise<Int>()
                promise.onCancel(end)
                let answer: @Sendable () -> Void = {
                    end()
                    if ask.number.isMultiple(of: 7) {
                        promise.reject(with: Broken())
                    } else {
                        promise.resolve(with: ask.number)
                    }
                }
                if ask.number.isMultiple(of: 3) {
                    answer()
                } else {
                    scheduler.schedule(after: .milliseconds(1), answer)
                }
                return promise
            })
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2_000 {
                let call = service(Ask(number * 4 + thread))
                call.observe { _ in settled.withLock { $0 += 1 } }
                if number % 3 == thread { scheduler.advance(by: .milliseconds(1)) }
                if number % 5 == thread { call.cancel() }
                let now = limit.limit
                if !(1...5).contains(now) { Issue.record("a limit of \(now)") }
            }
        }
        scheduler.run()
        #expect(settled.withLock { $0 } == 8_000)
        #expect(calls.withLock { $0.most } <= 5)
        #expect(calls.withLock { $0.now }.isEmpty)
        #expect((limit.inFlight, limit.queued) == (0, 0))
        #expect(scheduler.isIdle)
    }
}
