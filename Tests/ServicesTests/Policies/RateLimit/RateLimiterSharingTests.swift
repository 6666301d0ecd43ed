import Dispatch
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// A limiter used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct RateLimiterSharingTests {
    let scheduler = ManualScheduler()

    func limiter(_ rate: Int = 10, burst: Int = 1, maxWait: Duration) -> RateLimiter {
        RateLimiter(
            rate: rate, per: .seconds(1), burst: burst, maxWait: maxWait, on: scheduler)
    }

    @Test func whoHearsOfAnAnswerMayCallAtOnce() {
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 9))
        let service = stack(
            .rateLimit(sharing: limiter(maxWait: .seconds(1))), over: upstream.send)
        let next = Locked<Future<Int>?>(nil)
        service(1).observe { _ in
            let call = service(2)
            next.withLock { $0 = call }
        }
        scheduler.run()
        #expect(next.withLock { $0 }?.valueNow == 1)
        #expect(upstream.instants == [.zero, .milliseconds(100)])
    }

    /// The stack may be called, since no lock is held.
    @Test func observersAndServicesMayCallTheStackItself() {
        let limiter = limiter(maxWait: .milliseconds(500))
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
        let service = stack(
            .observed(by: ServiceObserver { _ in nest() }, on: scheduler),
            .rateLimit(sharing: limiter),
            over: { (ask: Ask) in
                nest()
                return Future(value: 7)
            })
        again.withLock { $0 = { service(0) } }
        let calls = (1...5).map { service(Ask($0)) }
        scheduler.run()
        #expect(nested.withLock { $0.count } == 50)
        for call in calls + nested.withLock({ $0 }) {
            #expect(call.valueNow == 7 || call.serviceError?.code == .rateLimited)
        }
        #expect(limiter.queued == 0)
        #expect(scheduler.isIdle)
        again.withLock { $0 = nil }
    }

    @Test func aLongLineNeedsNoStack() {
        let count = 20_000
        let limiter = limiter(1_000_000, burst: count, maxWait: .seconds(1))
        let service = stack(
            .rateLimit(sharing: limiter), over: { (ask: Ask) in Future(value: ask.number) })
        for number in 0..<count { _ = service(Ask(number)) }
        let calls = (0..<count).map { service(Ask($0)) }
        #expect(limiter.queued == count)
        scheduler.advance(by: .seconds(1))
        #expect(calls.enumerated().allSatisfy { $1.valueNow == $0 })
        #expect(scheduler.isIdle)
    }

    @Test func aLongLineThatIsCancelledNeedsNoStack() {
        let count = 20_000
        let upstream = Upstream(on: scheduler)
        let limiter = limiter(maxWait: .seconds(1_000_000))
        let service = stack(.rateLimit(sharing: limiter), over: upstream.send)
        let calls = (0...count).map { service(Ask($0)) }
        for call in calls { call.cancel() }
        #expect(upstream.count == 1)
        #expect(limiter.queued == 0)
        #expect(scheduler.isIdle)
    }

    /// Four threads call, cancel, and move the clock.
    @Test func threadsKeepTheRateAndLoseNobody() {
        let limiter = limiter(1_000, burst: 5, maxWait: .milliseconds(3))
        let scheduler = scheduler
        let passes = Locked<[Duration]>([]), settled = Locked(0)
        let service = stack(
            .rateLimit(sharing: limiter),
            over: { (ask: Ask) -> Future<Int> in
                passes.withLock { $0.append(scheduler.now.offset) }
                return Future(value: ask.number)
            })
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2_000 {
                let call = service(Ask(number))
                call.observe { _ in settled.withLock { $0 += 1 } }
                if number % 2 == thread { scheduler.advance(by: .microseconds(300)) }
                if number % 5 == thread { call.cancel() }
            }
        }
        scheduler.run()
        #expect(settled.withLock { $0 } == 8_000)
        #expect(limiter.queued == 0)
        #expect(scheduler.isIdle)
        let times = passes.withLock { $0 }
        #expect(times.count > 100)
        let most = 5 + Int((times.last ?? .zero) / .milliseconds(1))
        #expect(times.count <= most)
    }

    @Test func onTheLiveScheduler() async throws {
        let limiter = RateLimiter(rate: 1_000, per: .seconds(1), maxWait: .seconds(10))
        let service = stack(
            .rateLimit(sharing: limiter), over: { (ask: Ask) in Future(value: ask.number) })
        let start = LiveScheduler.shared.now
        let calls = (0...20).map { service(Ask($0)) }
        for (number, call) in calls.enumerated() { #expect(try await call.value == number) }
        #expect(start.duration(to: LiveScheduler.shared.now) >= .milliseconds(20))
    }
}
