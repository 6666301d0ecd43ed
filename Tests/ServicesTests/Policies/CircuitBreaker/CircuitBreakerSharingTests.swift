import Dispatch
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// A breaker used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct CircuitBreakerSharingTests {
    let scheduler = ManualScheduler()

    func breaker(backoff: Backoff = .constant(.seconds(5))) -> CircuitBreaker {
        CircuitBreaker(failuresInARow: 10, backoff: backoff, on: scheduler)
    }

    func fail(_ count: Int = 5) -> [Upstream.Step] {
        Array(repeating: .atOnce(.failure(Broken())), count: count)
    }

    func instant(_ seconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .seconds(seconds))
    }

    @Test func whoHearsOfAnAnswerMayCallAtOnce() {
        let breaker = breaker()
        let upstream = Upstream(on: scheduler, fail() + [.value(6), .value(7)])
        let service = stack(.circuitBreaker(sharing: breaker), over: upstream.send)
        for number in 1...5 { _ = service(Ask(number)) }
        scheduler.advance(by: .seconds(5))
        let next = Locked<Future<Int>?>(nil)
        service(6).observe { _ in
            let call = service(7)
            next.withLock { $0 = call }
        }
        scheduler.run()
        #expect(next.withLock { $0 }?.valueNow == 7)
    }

    /// The stack may be called, since no lock is held.
    @Test func classifierBackoffRandomnessAndObserversMayCallTheStackItself() {
        let again = Locked<(@Sendable () -> Void)?>(nil)
        let isNested = Locked(false)
        let nest: @Sendable () -> Void = {
            let isFirst = isNested.withLock { nested in
                defer { nested = true }
                return !nested
            }
            guard isFirst else { return }
            again.withLock { $0 }?()
            isNested.withLock { $0 = false }
        }
        let upstream = Upstream(on: scheduler, fail(500))
        let classifier = Classifier<Int> { result in
            nest()
            return Classifier.standard(result)
        }
        let breaker = CircuitBreaker(
            failuresInARow: 10,
            backoff: .custom { _, _ in
                nest()
                return .seconds(5)
            }, on: scheduler)
        let service = stack(
            .observed(by: ServiceObserver { _ in nest() }, on: scheduler),
            .circuitBreaker(sharing: breaker, classifier: classifier), over: upstream.send)
        again.withLock { $0 = { _ = service(0) } }
        for number in 1...9 { _ = service(Ask(number)) }
        #expect(breaker.state == .open(until: instant(5)))
        again.withLock { $0 = nil }
    }

    @Test func aNegativeOrEndlessBackoffIsBounded() {
        for (delay, code) in [(Duration.seconds(-3), nil), (.seconds(Int64.max), .circuitOpen)]
            as [(Duration, ServiceError.Code?)]
        {
            let breaker = breaker(backoff: .custom { _, _ in delay })
            let upstream = Upstream(on: scheduler, fail())
            let service = stack(.circuitBreaker(sharing: breaker), over: upstream.send)
            for number in 1...5 { _ = service(Ask(number)) }
            #expect(service(6).serviceError?.code == code)
        }
    }

    /// No call succeeds, so each call after the first five is a probe.
    @Test func threadsProbeAtMostOnceInAnOpenTime() {
        let breaker = CircuitBreaker(
            failuresInARow: 10, backoff: .constant(.milliseconds(1)), on: scheduler)
        let scheduler = scheduler
        let probes = Locked(0), ends = Locked(0)
        let service = stack(
            .circuitBreaker(sharing: breaker),
            over: { (ask: Ask) -> Future<Int> in
                probes.withLock { $0 += 1 }
                for _ in 0..<50 { _ = scheduler.now }
                return Future(error: Broken())
            })
        for number in 1...5 { _ = service(Ask(number)) }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2_000 {
                service(Ask(number * 4 + thread)).observe { _ in ends.withLock { $0 += 1 } }
                scheduler.advance(by: .microseconds(200))
            }
        }
        #expect(ends.withLock { $0 } == 8_000)
        // 1.6 seconds have passed, and a probe has at least one millisecond for itself.
        #expect((100...1_605).contains(probes.withLock { $0 }))
    }

    @Test func answersFromOtherThreadsCount() async {
        let breaker = breaker()
        let service = stack(
            .circuitBreaker(sharing: breaker),
            over: { (ask: Ask) in
                Future<Int> {
                    await Task.yield()
                    throw Broken()
                }
            })
        for number in 1...5 { _ = await service(Ask(number)).resultWhenSettled }
        #expect(breaker.state == .open(until: instant(5)))
    }
}
