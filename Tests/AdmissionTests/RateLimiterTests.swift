import Dispatch
import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeAdmission

@Suite struct RateLimiterTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    /// Ten a second, spaced evenly.
    func limiter(burst: Int = 1, maxWait: Duration = .zero) -> RateLimiter {
        RateLimiter(
            rate: 10, per: .seconds(1), burst: burst, maxWait: maxWait, on: scheduler)
    }

    func service(_ limiter: RateLimiter, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler), .rateLimit(sharing: limiter),
            over: upstream.send)
    }

    @Test func byDefaultACallWaitsForARateLimiterASecondAtMost() {
        let upstream = Upstream(on: scheduler, Array(repeating: .atOnce(.success(1)), count: 9))
        let service = service(RateLimiter(rate: 2, per: .seconds(1), on: scheduler), upstream)
        let calls = (1...4).map { service(Ask($0)) }
        #expect(calls[3].serviceError?.retryAfter == .milliseconds(1_500))
        scheduler.advance(by: .milliseconds(999))
        #expect(upstream.count == 2)
        scheduler.advance(by: .milliseconds(1))
        #expect(upstream.count == 3)
        #expect(calls.dropLast().allSatisfy { $0.valueNow == 1 })
    }

    @Test func aRateLimiterWithoutAWaitRefusesACallThatComesTooEarly() {
        let upstream = Upstream(on: scheduler)
        let service = service(limiter(), upstream)
        _ = service(1)
        scheduler.advance(by: .milliseconds(30))
        let call = service(2)
        #expect(call.serviceError?.code == .rateLimited)
        #expect(call.serviceError?.policy == "rateLimit")
        #expect(call.serviceError?.retryAt == SchedulerInstant(offset: .milliseconds(100)))
        #expect(call.serviceError?.retryAfter == .milliseconds(70))
        #expect(call.serviceError?.isCertainlyUnsent == true)
        #expect(upstream.count == 1)
        #expect(scheduler.isIdle)
        #expect(
            log.lines.contains(
                "30 1 rateLimit refused(rateLimit: refused: the rate is exceeded; call again in "
                    + "0.07 seconds)"))
        scheduler.advance(by: .milliseconds(70))
        #expect(service(3).result == nil)
        #expect(upstream.count == 2)
    }

    @Test func aRateLimiterLetsABurstPassAtOnce() {
        let upstream = Upstream(on: scheduler)
        let service = service(limiter(burst: 4), upstream)
        for number in 1...9 { _ = service(Ask(number)) }
        #expect(upstream.count == 4)
    }

    @Test func callsThatWaitForARateLimiterPassInOrderAtItsRate() {
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 9))
        let limiter = limiter(burst: 2, maxWait: .milliseconds(300))
        let service = service(limiter, upstream)
        let calls = (1...6).map { service(Ask($0)) }
        #expect(upstream.count == 2)
        #expect(limiter.queued == 3)
        #expect(calls[5].serviceError?.retryAfter == .milliseconds(400))
        scheduler.run()
        #expect(calls.dropLast().allSatisfy { $0.valueNow == 1 })
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2, 3, 4, 5])
        #expect(upstream.instants == [0, 0, 100, 200, 300].map { .milliseconds($0) })
        #expect(limiter.queued == 0)
        #expect(
            log.lines.filter { $0.contains("queued") } == [
                "0 1 rateLimit queued(length: 1)", "0 1 rateLimit queued(length: 2)",
                "0 1 rateLimit queued(length: 3)",
                "100 1 rateLimit dequeued(after: 0.1 seconds)",
                "200 1 rateLimit dequeued(after: 0.2 seconds)",
                "300 1 rateLimit dequeued(after: 0.3 seconds)",
            ])
    }

    @Test func aRateLimitersRefusalIsNotRetried() {
        let upstream = Upstream(on: scheduler, [.atOnce(.failure(Broken()))])
        let call = stack(
            .retry(Retry(backoff: .constant(.zero)), on: scheduler), .rateLimit(sharing: limiter()),
            over: upstream.send)(1)
        #expect(call.serviceError?.code == .rateLimited)
        #expect(upstream.count == 1)
    }

    @Test func aCancelledCallUsesNoTurnOfARateLimiterAndThoseBehindMoveUp() {
        let upstream = Upstream(on: scheduler)
        let limiter = limiter(maxWait: .seconds(1))
        let service = service(limiter, upstream)
        let calls = (1...4).map { service(Ask($0)) }
        calls[1].cancel()
        #expect(calls[1].isCancelled)
        #expect(limiter.queued == 2)
        scheduler.advance(by: .milliseconds(150))
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3])
        calls[3].cancel()
        #expect(scheduler.isIdle)
        #expect(upstream.cancelled == 0)
        scheduler.advance(by: .milliseconds(50))
        _ = service(5)
        #expect(upstream.instants == [0, 100, 200].map { .milliseconds($0) })
    }

    @Test func aRateLimiterSetsATimerAnewAfterAllWaitingCallsWereCancelled() {
        let upstream = Upstream(on: scheduler)
        let service = service(limiter(maxWait: .seconds(1)), upstream)
        _ = service(1)
        service(2).cancel()
        #expect(scheduler.isIdle)
        scheduler.advance(by: .milliseconds(50))
        _ = service(3)
        #expect(!scheduler.isIdle)
        scheduler.run()
        #expect(upstream.instants == [0, 100].map { .milliseconds($0) })
    }

    @Test func cancellingACallThatHasPassedARateLimiterCancelsTheServicesCall() {
        let upstream = Upstream(on: scheduler)
        let service = service(limiter(maxWait: .seconds(1)), upstream)
        let calls = [service(1), service(2)]
        scheduler.run()
        for call in calls { call.cancel() }
        #expect(upstream.cancelled == 2)
        #expect(upstream.living == 0)
    }

    @Test func aCallDoesNotWaitForARateLimiterBeyondItsDeadline() {
        let upstream = Upstream(on: scheduler)
        let limiter = limiter(maxWait: .seconds(1))
        let service = service(limiter, upstream)
        _ = service(1)
        func call(_ milliseconds: Int) -> Future<Int> {
            CallContext(deadline: CallDeadline(after: .milliseconds(milliseconds), on: scheduler))
                .run { service(2) }
        }
        #expect(call(100).serviceError?.code == .rateLimited)
        #expect(call(100).serviceError?.retryAfter == .milliseconds(100))
        #expect(call(-1).serviceError?.code == .rateLimited)
        #expect(limiter.queued == 0)
        let waiting = call(101)
        #expect(waiting.result == nil)
        scheduler.run()
        #expect(upstream.arrivals.map(\.remaining) == [nil, .milliseconds(1)])
    }

    @Test func aRateLimitedCallWhoseDeadlinePassesBeforeALateTimerIsNotMade() {
        let upstream = Upstream(on: scheduler)
        let late = LateScheduler(scheduler, by: .milliseconds(50))
        let service = service(
            RateLimiter(rate: 10, per: .seconds(1), burst: 1, on: late), upstream)
        _ = service(1)
        let calls = [120, 300].map { milliseconds in
            CallContext(
                deadline: CallDeadline(after: .milliseconds(milliseconds), on: scheduler)
            ).run { service(2) }
        }
        scheduler.run()
        #expect(calls[0].serviceError?.code == .deadlineExceeded)
        #expect(calls[0].serviceError?.policy == "rateLimit")
        #expect(calls[1].result == nil)
        #expect(upstream.instants == [0, 250].map { .milliseconds($0) })
    }

    /// Each timer that is late used to move all turns behind it.
    @Test func timersThatAreAMillisecondLateCostARateLimiterNoRate() {
        let late = LateScheduler(scheduler, by: .milliseconds(1))
        let limiter = RateLimiter(rate: 1_000, per: .seconds(1), on: late)
        let last = Locked(Duration.zero)
        let service = stack(
            .rateLimit(sharing: limiter),
            over: { [scheduler] (ask: Ask) -> Future<Int> in
                last.withLock { $0 = scheduler.now.offset }
                return Future(value: ask.number)
            })
        let calls = (0...1_000).map { service(Ask($0)) }
        scheduler.run()
        #expect(calls.enumerated().allSatisfy { $1.valueNow == $0 })
        // The last two are due when the timer of the last but one fires.
        #expect(last.withLock { $0 } == .seconds(1))
    }

    @Test func aCallThatWaitsForARateLimiterKeepsItsOwnContext() {
        let upstream = Upstream(on: scheduler)
        let service = service(limiter(maxWait: .seconds(1)), upstream)
        let contexts = [
            CallContext(), CallContext(attempt: 2), CallContext(attempt: 3), CallContext(),
        ]
        for (number, context) in contexts.enumerated() {
            _ = context.run { service(Ask(number)) }
        }
        CallContext(attempt: 9).run { scheduler.run() }
        #expect(upstream.arrivals.map(\.attempt) == [1, 2, 3, 1])
    }

    @Test func aRateLimiterCountsEveryCallHoweverItEnds() {
        let upstream = Upstream(
            on: scheduler, [.atOnce(.failure(Broken())), .atOnce(.success(1)), .never])
        let service = service(limiter(burst: 3), upstream)
        #expect(service(1).errorNow is Broken)
        #expect(service(2).valueNow == 1)
        service(3).cancel()
        #expect(service(4).serviceError?.code == .rateLimited)
    }

    @Test func severalStacksMayShareARateLimiter() {
        let limiter = limiter(maxWait: .seconds(1))
        let upstream = Upstream(on: scheduler, [.value(7)])
        let other = stack(
            .rateLimit(sharing: limiter), over: { (text: String) in Future(value: text + "!") })
        let first = service(limiter, upstream)(1), second = other("Tea")
        #expect(second.result == nil)
        scheduler.advance(by: .milliseconds(100))
        #expect(first.valueNow == 7)
        #expect(second.valueNow == "Tea!")
    }
}

/// A limiter used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct RateLimiterSharingTests {
    let scheduler = ManualScheduler()

    func limiter(_ rate: Int = 10, burst: Int = 1, maxWait: Duration) -> RateLimiter {
        RateLimiter(
            rate: rate, per: .seconds(1), burst: burst, maxWait: maxWait, on: scheduler)
    }

    @Test func whoHearsOfAnAnswerMayCallARateLimiterAtOnce() {
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
    @Test func observersAndServicesMayCallTheStackOfTheirRateLimiter() {
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

    @Test func aLongLineOfARateLimiterNeedsNoDeepStack() {
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

    @Test func cancellingALongLineOfARateLimiterNeedsNoDeepStack() {
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
    @Test func threadsKeepARateLimitersRateAndLoseNoCall() {
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

    @Test func aRateLimiterKeepsItsRateOnTheLiveScheduler() async throws {
        let limiter = RateLimiter(rate: 1_000, per: .seconds(1), maxWait: .seconds(10))
        let service = stack(
            .rateLimit(sharing: limiter), over: { (ask: Ask) in Future(value: ask.number) })
        let start = LiveScheduler.shared.now
        let calls = (0...20).map { service(Ask($0)) }
        for (number, call) in calls.enumerated() { #expect(try await call.value == number) }
        #expect(start.duration(to: LiveScheduler.shared.now) >= .milliseconds(20))
    }
}

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct RateLimiterMisuseTests {
    @Test func aRateLimitersRateOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 0, per: .seconds(1)) }
        expectTrap("a rate limiter needs a rate in 1...1000000000, not 0", in: result)
    }

    @Test func aRateLimitersPeriodOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 1, per: .zero) }
        expectTrap("a rate limiter needs a period from a nanosecond to 366 days", in: result)
    }

    @Test func aRateLimitersPeriodOverAYearTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 1, per: .seconds(366 * 24 * 3_600 + 1)) }
        expectTrap("a rate limiter needs a period from a nanosecond to 366 days", in: result)
    }

    @Test func aRateLimitersBurstOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 1, per: .seconds(1), burst: 0) }
        expectTrap("a rate limiter needs a burst in 1...1000000000, not 0", in: result)
    }

    @Test func aRateLimitersNegativeWaitTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 1, per: .seconds(1), maxWait: .seconds(-1)) }
        expectTrap("a rate limiter needs a maxWait of zero or more, not -1.0 seconds", in: result)
    }
}
#endif
