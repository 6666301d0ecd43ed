import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// Slow calls, several probes, and a breaker that is opened and closed by hand.
@Suite struct CircuitBreakerLimitsTests {
    let scheduler = ManualScheduler()

    private func call(
        _ breaker: CircuitBreaker, _ steps: Upstream.Step...
    ) -> (call: Future<Int>, upstream: Upstream) {
        let upstream = Upstream(on: scheduler, steps)
        let call = stack(.circuitBreaker(sharing: breaker), over: upstream.send)(1)
        scheduler.run()
        return (call, upstream)
    }

    @Test func tooManySlowCallsOpenIt() {
        let breaker = CircuitBreaker(
            minimumRequests: 4, slowCallDuration: .seconds(1), slowCallRate: 0.5, on: scheduler)
        for milliseconds in [1_000, 999, 10] {
            #expect(call(breaker, .value(1, after: .milliseconds(milliseconds))).call.valueNow == 1)
            #expect(breaker.state == .closed)
        }
        // Half of four calls.
        _ = call(breaker, .value(1, after: .seconds(2)))
        #expect(breaker.state != .closed)
    }

    @Test func aSlowCallThatIsGivenUpIsEvidence() {
        let breaker = CircuitBreaker(
            failuresInARow: 1, slowCallDuration: .seconds(1), on: scheduler)
        let upstream = Upstream(on: scheduler)
        let service = stack(.circuitBreaker(sharing: breaker), over: upstream.send)
        let quick = service(1)
        scheduler.advance(by: .milliseconds(999))
        quick.cancel()
        #expect(breaker.state == .closed)
        let slow = service(2)
        scheduler.advance(by: .seconds(1))
        slow.cancel()
        #expect(breaker.state != .closed)
    }

    @Test func allProbesHaveToSucceed() {
        let breaker = CircuitBreaker(
            failuresInARow: 1, probes: 2, backoff: .constant(.seconds(5)), on: scheduler)
        _ = call(breaker, .broken)
        scheduler.advance(by: .seconds(5))
        let upstream = Upstream(on: scheduler, [.value(1), .value(2, after: .seconds(1))])
        let service = stack(.circuitBreaker(sharing: breaker), over: upstream.send)
        let calls = (1...3).map { service(Ask($0)) }
        #expect(calls[2].serviceError?.code == .circuitOpen)
        scheduler.advance(by: .milliseconds(10))
        #expect(calls[0].valueNow == 1)
        #expect(breaker.state == .halfOpen)
        scheduler.advance(by: .seconds(1))
        #expect(breaker.state == .closed)
        #expect(upstream.count == 2)
    }

    @Test func aSlowProbeOpensItAgain() {
        let breaker = CircuitBreaker(
            failuresInARow: 1, slowCallDuration: .seconds(1), backoff: .constant(.seconds(5)),
            on: scheduler)
        _ = call(breaker, .broken)
        scheduler.advance(by: .seconds(5))
        #expect(call(breaker, .value(1, after: .seconds(1))).call.valueNow == 1)
        #expect(breaker.state == .open(until: scheduler.now.advanced(by: .seconds(5))))
    }

    @Test func anIsolatedOneRefusesAllUntilItIsReset() {
        let log = TestLog<PolicyEvent>()
        let breaker = CircuitBreaker(failuresInARow: 2, on: scheduler)
        _ = call(breaker, .broken)
        breaker.isolate()
        #expect(breaker.state == .isolated)
        scheduler.advance(by: .seconds(1_000))
        let refused = call(breaker, .value(1))
        #expect(refused.upstream.count == 0)
        #expect(refused.call.serviceError?.code == .circuitOpen)
        #expect(refused.call.serviceError?.retryAt == nil)
        #expect("\(refused.call.errorNow.map { "\($0)" } ?? "")".contains("isolated"))
        stack(
            .observed(by: log.observer, on: scheduler),
            over: { (_: Ask) in
                breaker.reset()
                return Future(value: 1)
            })(1).observe { _ in }
        #expect(log.lines.contains { $0.contains("isolated") && $0.contains("closed") })
        #expect(breaker.state == .closed)
        // The failure before does not count any more.
        _ = call(breaker, .broken)
        #expect(breaker.state == .closed)
    }

    @Test func aClosedOneThatIsResetForgetsItsFailures() {
        let breaker = CircuitBreaker(failuresInARow: 2, on: scheduler)
        _ = call(breaker, .broken)
        breaker.reset()
        _ = call(breaker, .broken)
        #expect(breaker.state == .closed)
        _ = call(breaker, .broken)
        #expect(breaker.state != .closed)
    }

    @Test func whatWasCalledBeforeItWasIsolatedChangesNothing() {
        let breaker = CircuitBreaker(failuresInARow: 1, on: scheduler)
        let upstream = Upstream(on: scheduler, [.broken])
        _ = stack(.circuitBreaker(sharing: breaker), over: upstream.send)(1)
        breaker.isolate()
        scheduler.run()
        #expect(breaker.state == .isolated)
    }
}
