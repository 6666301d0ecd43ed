import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeAdmission

@Suite struct PushbackTests {
    private let scheduler = ManualScheduler()
    private let log = TestLog<PolicyEvent>()

    private func service(_ pushback: Pushback, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler), .pushback(sharing: pushback),
            over: upstream.send)
    }

    private func pushback(maxWait: Duration = .seconds(10)) -> Pushback {
        Pushback(maxWait: maxWait, on: scheduler, random: .constant(0))
    }

    @Test func aWaitThatAServiceAsksForHoldsTheOtherCallsBack() {
        let upstream = Upstream(on: scheduler, [.asked(2_000), .value(2), .value(3)])
        let pushback = pushback()
        let service = service(pushback, upstream)
        _ = service(1)
        scheduler.advance(by: .milliseconds(10))
        #expect(pushback.until == scheduler.now.advanced(by: .seconds(2)))
        let calls = [service(2), service(3)]
        #expect(pushback.queued == 2)
        scheduler.advance(by: .milliseconds(1_999))
        #expect(upstream.count == 1)
        scheduler.advance(by: .milliseconds(1))
        #expect(upstream.count == 3)
        #expect(pushback.queued == 0)
        scheduler.run()
        #expect(calls.map(\.valueNow) == [2, 3])
        #expect(pushback.until == nil)
        let waits = log.elements.compactMap { event in
            if case .dequeued(let wait) = event.kind { wait } else { nil }
        }
        #expect(waits == [.seconds(2), .seconds(2)])
    }

    @Test func upToATenthIsAddedToAWaitThatAServiceAsksFor() {
        let upstream = Upstream(on: scheduler, [.asked(2_000), .value(2)])
        let pushback = Pushback(on: scheduler, random: .constant(0.999_999_999))
        let service = service(pushback, upstream)
        _ = service(1)
        scheduler.advance(by: .milliseconds(10))
        _ = service(2)
        scheduler.advance(by: .milliseconds(2_198))
        #expect(upstream.count == 1)
        scheduler.advance(by: .milliseconds(2))
        #expect(upstream.count == 2)
    }

    @Test func aHeldBackCallThatWouldWaitLongerThanAllowedIsRefusedAtOnce() {
        let upstream = Upstream(on: scheduler, [.asked(11_000), .value(2)])
        let service = service(pushback(), upstream)
        _ = service(1)
        scheduler.advance(by: .milliseconds(10))
        let refused = service(2)
        #expect(refused.serviceError?.code == .heldBack)
        #expect(refused.serviceError?.policy == "pushback")
        #expect(refused.serviceError?.retryAfter == .seconds(11))
        #expect(refused.serviceError?.isCertainlyUnsent == true)
        scheduler.advance(by: .seconds(1))
        let waiting = service(3)
        scheduler.run()
        #expect(waiting.valueNow == 2)
        #expect(upstream.count == 2)
    }

    @Test func aHeldBackCallIsRefusedIfItWouldWaitUntilItsDeadline() {
        let upstream = Upstream(on: scheduler, [.asked(2_000), .value(2)])
        let pushback = pushback()
        let service = stack(
            .deadline(.seconds(2), on: scheduler), .pushback(sharing: pushback),
            over: upstream.send)
        _ = service(1)
        scheduler.advance(by: .milliseconds(10))
        #expect(service(2).serviceError?.code == .heldBack)
        #expect(upstream.count == 1)
    }

    @Test func aHeldBackCallIsNotMadeAfterItsDeadlineThoughTheTimerIsLate() {
        let upstream = Upstream(on: scheduler, [.asked(2_000), .value(2)])
        let pushback = Pushback(
            on: LateScheduler(scheduler, by: .seconds(1)), random: .constant(0))
        let service = service(pushback, upstream)
        _ = service(1)
        scheduler.advance(by: .milliseconds(10))
        let late = CallContext(deadline: CallDeadline(after: .milliseconds(2_500), on: scheduler))
            .run { service(2) }
        scheduler.run()
        #expect(late.serviceError?.code == .deadlineExceeded)
        #expect(late.serviceError?.policy == "pushback")
        #expect(upstream.count == 1)
        #expect(pushback.queued == 0)
    }

    @Test func aHeldBackCallThatIsCancelledIsNotMade() {
        let upstream = Upstream(on: scheduler, [.asked(2_000)])
        let pushback = pushback()
        let service = service(pushback, upstream)
        _ = service(1)
        scheduler.advance(by: .milliseconds(10))
        service(2).cancel()
        #expect(pushback.queued == 0)
        scheduler.run()
        #expect(upstream.count == 1)
    }

    @Test func aHeldBackCallWaitsForALongerPauseThatBeginsMeanwhile() {
        let upstream = Upstream(
            on: scheduler, [.asked(1_000), .error(Broken()), .value(3)])
        let pushback = pushback()
        let service = service(pushback, upstream)
        let slow = Promise<Int>()
        let other = stack(
            .pushback(sharing: pushback), over: { (_: Ask) -> Future<Int> in slow })
        _ = other(9)
        _ = service(1)
        scheduler.advance(by: .milliseconds(10))
        let waiting = service(2)
        scheduler.advance(by: .milliseconds(500))
        slow.reject(with: Advised(advisedOutcome: .retryable(after: .seconds(3))))
        scheduler.advance(by: .milliseconds(2_999))
        #expect(upstream.count == 1)
        #expect(waiting.result == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(upstream.count == 2)
    }

    /// A server that asks for a year holds nothing back for a year.
    @Test func thePauseThatAServiceAsksForHasABound() {
        let upstream = Upstream(on: scheduler, [.asked(31_536_000_000)])
        let pushback = pushback()
        _ = service(pushback, upstream)(1)
        scheduler.advance(by: .milliseconds(10))
        #expect(pushback.until == scheduler.now.advanced(by: .seconds(60)))
    }

    /// A refusal of a policy is no word of the service's.
    @Test func aRefusalBelowAPushbackBeginsNoPause() {
        let pushback = pushback()
        let breaker = CircuitBreaker(on: scheduler)
        breaker.isolate()
        let service = stack(
            .pushback(sharing: pushback), .circuitBreaker(sharing: breaker),
            over: Upstream(on: scheduler).send)
        #expect(service(1).serviceError?.code == .circuitOpen)
        #expect(pushback.until == nil)
    }
}
