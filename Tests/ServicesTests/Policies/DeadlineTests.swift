import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@Suite(.oneAtATime) struct DeadlineTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func service(_ limit: Duration, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler), .deadline(limit, on: scheduler),
            over: upstream.send)
    }

    @Test func theDeadlineIsInTheContextOfTheCall() {
        let upstream = Upstream(on: scheduler, [.value(7, after: .seconds(9))])
        scheduler.advance(by: .seconds(5))
        let call = service(.seconds(10), upstream)(1)
        #expect(upstream.arrivals.first?.deadline == SchedulerInstant(offset: .seconds(15)))
        #expect(upstream.arrivals.first?.remaining == .seconds(10))
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(scheduler.isIdle)
    }

    @Test func aPassedDeadlineFailsTheCallAndCancelsItBeneath() {
        let upstream = Upstream(on: scheduler)
        let call = service(.seconds(10), upstream)(1)
        scheduler.advance(by: .milliseconds(9999))
        #expect(call.result == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(call.serviceError?.policy == "deadline")
        #expect(call.serviceError?.limit == .seconds(10))
        #expect(upstream.cancelled == 1)
        #expect(
            log.lines == [
                "0 1 observed began call",
                "10000 1 deadline timed out after 10000",
                "10000 1 observed ended retryable in 10000: deadlineExceeded",
            ])
    }

    @Test(arguments: [(10, 3, 3), (3, 10, 3), (5, 5, 5)])
    func theSoonerOfTwoDeadlinesHolds(outer: Int, inner: Int, expected: Int) {
        let upstream = Upstream(on: scheduler)
        let call = stack(
            .deadline(.seconds(outer), on: scheduler), .deadline(.seconds(inner), on: scheduler),
            over: upstream.send)(1)
        #expect(upstream.arrivals.first?.remaining == .seconds(expected))
        scheduler.advance(by: .seconds(expected) - .nanoseconds(1))
        #expect(call.result == nil)
        scheduler.advance(by: .nanoseconds(1))
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(upstream.cancelled == 1)
        #expect(scheduler.isIdle)
    }

    /// Instants of two clocks cannot be compared; the remaining times can.
    @Test func deadlinesOnDifferentClocksAreComparedByWhatIsLeft() {
        let other = ManualScheduler()
        other.advance(by: .seconds(1_000))
        let upstream = Upstream(on: scheduler)
        let far = CallContext(deadline: CallDeadline(after: .seconds(60), on: other))
        _ = far.run { service(.seconds(10), upstream)(1) }
        #expect(upstream.arrivals.last?.remaining == .seconds(10))
        #expect(upstream.arrivals.last?.deadline?.offset == .seconds(10))
        let near = CallContext(deadline: CallDeadline(after: .seconds(6), on: other))
        let call = near.run { service(.seconds(10), upstream)(1) }
        #expect(upstream.arrivals.last?.remaining == .seconds(6))
        #expect(upstream.arrivals.last?.deadline?.offset == .seconds(1_006))
        scheduler.advance(by: .seconds(6))
        #expect(call.serviceError?.code == .deadlineExceeded)
    }

    @Test func aDeadlineOfZeroDoesNotCallTheService() {
        let upstream = Upstream(on: scheduler)
        let call = service(.zero, upstream)(1)
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(upstream.count == 0)
        #expect(scheduler.isIdle)
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 1 deadline timed out after 0",
                "0 1 observed ended retryable in 0: deadlineExceeded",
            ])
    }

    @Test(arguments: [0, -5])
    func aContextWhoseTimeIsOverDoesNotCallTheService(seconds: Int) {
        let upstream = Upstream(on: scheduler)
        let context = CallContext(deadline: CallDeadline(after: .seconds(seconds), on: scheduler))
        let call = context.run { service(.seconds(10), upstream)(1) }
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(call.serviceError?.limit == .zero)
        #expect(upstream.count == 0)
    }

    @Test func aTimeoutAtTheDeadlineReportsTheDeadline() {
        let upstream = Upstream(on: scheduler)
        let call = stack(
            .deadline(.seconds(2), on: scheduler), .timeout(.seconds(5), on: scheduler),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(scheduler.now.offset == .seconds(2))
    }

    @Test func aDeadlineBeyondAllTimeDoesNotTrap() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let call = service(.seconds(Int64.max), upstream)(1)
        scheduler.advance(by: .milliseconds(10))
        #expect(call.valueNow == 7)
        #expect(scheduler.isIdle)
    }

    #if os(macOS) || os(Linux)
    @Test func aDeadlineOfANegativeDurationTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Middleware<Int, Int>.deadline(.nanoseconds(-1))
        }
        expectTrap("deadline needs a duration of zero or more", in: result)
    }
    #endif
}
