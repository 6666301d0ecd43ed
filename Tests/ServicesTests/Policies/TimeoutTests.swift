import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite(.oneAtATime) struct TimeoutTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func service(
        _ limit: Duration, _ upstream: Upstream, isObserved: Bool = false
    ) -> Service<Ask, Int> {
        stack(
            isObserved ? .observed(by: log.observer, on: scheduler) : .passThrough,
            .timeout(limit, on: scheduler), over: upstream.send)
    }

    @Test func aResultInTimeArrivesAndTakesTheTimerBack() {
        let upstream = Upstream(on: scheduler, [.value(7, after: .milliseconds(1999))])
        let call = service(.seconds(2), upstream)(1)
        scheduler.advance(by: .milliseconds(1999))
        #expect(call.valueNow == 7)
        #expect(scheduler.isIdle)
    }

    @Test(arguments: [false, true])
    func aTimeoutFailsTheCallAndCancelsItBeneath(isObserved: Bool) {
        let upstream = Upstream(on: scheduler)
        let call = service(.seconds(2), upstream, isObserved: isObserved)(1)
        scheduler.advance(by: .milliseconds(1999))
        #expect(call.result == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(call.serviceError?.code == .timedOut)
        #expect(call.serviceError?.limit == .seconds(2))
        #expect(call.serviceError?.policy == "timeout")
        #expect(upstream.cancelled == 1)
    }

    /// A service whose requests wait for a connection for a while, as those of a transport do.
    private func queueing(for wait: Duration, then answer: Duration) -> Service<Ask, Int> {
        { [scheduler] _ in
            let record = CallContext.current.record
            record?.beginPause(.queue, on: scheduler)
            return Future(value: ()).delay(wait, on: scheduler).flatMap {
                record?.endPause(.queue)
                return Future(value: 7).delay(answer, on: scheduler)
            }
        }
    }

    @Test(arguments: [false, true])
    func aTimeoutDoesNotCountTheWaitForAConnection(isRepeated: Bool) {
        let transport = queueing(for: .seconds(5), then: .milliseconds(1_999))
        let call = stack(
            isRepeated ? .retry(on: scheduler) : .passThrough,
            .timeout(.seconds(2), on: scheduler), over: transport)(1)
        scheduler.advance(by: .milliseconds(6_999))
        #expect(call.valueNow == 7)
        #expect(scheduler.isIdle)
    }

    @Test(arguments: [0, 1, 1_999, 2_000, 2_001, 3_999, 4_000, 30_000])
    func aTimeoutCountsTheTimeAfterTheWaitForAConnection(wait: Int) {
        let transport = queueing(for: .milliseconds(wait), then: .seconds(9))
        let call = stack(.timeout(.seconds(2), on: scheduler), over: transport)(1)
        scheduler.advance(by: .milliseconds(wait + 1_999))
        #expect(!call.isSettled)
        scheduler.advance(by: .milliseconds(1))
        #expect(call.serviceError?.code == .timedOut)
        #expect(call.serviceError?.limit == .seconds(2))
        #expect(scheduler.isIdle)
    }

    @Test func aDeadlineCountsTheWaitForAConnection() {
        let transport = queueing(for: .seconds(5), then: .seconds(9))
        let deadline = CallDeadline(after: .seconds(3), on: scheduler)
        let service = stack(.timeout(.seconds(2), on: scheduler), over: transport)
        let call = CallContext(deadline: deadline).run { service(1) }
        scheduler.advance(by: .milliseconds(2_999))
        #expect(!call.isSettled)
        scheduler.advance(by: .milliseconds(1))
        #expect(call.serviceError?.code == .deadlineExceeded)
    }

    @Test func errorsPassATimeoutUnchanged() {
        let upstream = Upstream(on: scheduler, [.error(Broken(number: 3))])
        let call = service(.seconds(2), upstream, isObserved: true)(1)
        scheduler.run()
        #expect(call.errorNow as? Broken == Broken(number: 3))
    }

    @Test func aTimeoutBeneathIsNotTakenForItsOwn() {
        let upstream = Upstream(on: scheduler)
        let call = stack(
            .observed(by: log.observer, on: scheduler), .timeout(.seconds(3), on: scheduler),
            over: stack(.timeout(.seconds(2), on: scheduler), over: upstream.send))(1)
        scheduler.run()
        #expect(call.serviceError?.limit == .seconds(2))
        #expect(
            log.lines == [
                "0 1 observed began call",
                "2000 1 timeout timed out after 2000",
                "2000 1 observed ended retryable in 2000: timedOut",
            ])
    }

    @Test func aTimeoutIsNeverLongerThanTheTimeLeft() {
        let upstream = Upstream(on: scheduler)
        let context = CallContext(deadline: CallDeadline(after: .seconds(1), on: scheduler))
        let call = context.run { service(.seconds(2), upstream)(1) }
        scheduler.advance(by: .seconds(1))
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(call.serviceError?.limit == .seconds(1))
        #expect(upstream.cancelled == 1)
    }

    @Test(arguments: [0, -1])
    func aTimeoutDoesNotCallTheServiceIfNoTimeIsLeft(seconds: Int) {
        let upstream = Upstream(on: scheduler)
        let context = CallContext(deadline: CallDeadline(after: .seconds(seconds), on: scheduler))
        let call = context.run { service(.seconds(2), upstream, isObserved: true)(1) }
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(upstream.count == 0)
        #expect(scheduler.isIdle)
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 1 timeout timed out after 0",
                "0 1 observed ended retryable in 0: deadlineExceeded",
            ])
    }

    @Test func aTimeoutOfZeroLetsPassWhatIsThereAtOnce() {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(7)), .never])
        let service = service(.zero, upstream)
        #expect(service(1).valueNow == 7)
        let late = service(2)
        #expect(late.result == nil)
        scheduler.advance(by: .zero)
        #expect(late.serviceError?.code == .timedOut)
    }

    @Test func cancellingATimeoutTakesItsTimerBackAndTellsNothing() {
        let upstream = Upstream(on: scheduler)
        let call = service(.seconds(2), upstream, isObserved: true)(1)
        scheduler.advance(by: .seconds(1))
        call.cancel()
        #expect(scheduler.isIdle)
        #expect(upstream.cancelled == 1)
        #expect(
            log.lines == [
                "0 1 observed began call",
                "1000 1 observed ended ignorable in 1000: CancellationError",
            ])
    }

    #if os(macOS) || os(Linux)
    @Test func aTimeoutOfANegativeDurationTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Middleware<Int, Int>.timeout(.seconds(-1))
        }
        expectTrap("timeout needs a duration of zero or more", in: result)
    }
    #endif

    @Test(
        arguments: [
            (2, nil, 2, ServiceError.Code.timedOut), (2, 3, 2, .timedOut), (2, 2, 2, .timedOut),
            (2, 1, 1, .deadlineExceeded), (2, 0, 0, .deadlineExceeded),
            (0, 0, 0, .deadlineExceeded),
            (0, 1, 0, .timedOut), (2, -1, -1, .deadlineExceeded),
        ] as [(Int, Int?, Int, ServiceError.Code)])
    func aTimeoutAllowsTheShorterOfItsLimitAndTheTimeLeft(
        limit: Int, remaining: Int?, time: Int, code: ServiceError.Code
    ) {
        let allowed = TimeAllowed(
            limit: .seconds(limit), remaining: remaining.map { .seconds($0) })
        #expect(allowed.duration == .seconds(time))
        #expect(allowed.code == code)
    }
}
