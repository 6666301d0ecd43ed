import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite(.oneAtATime) struct StandInsTests {
    let scheduler = ManualScheduler()

    init() { StandIns.expectCaches() }

    /// A layer that waits for the service, and answers with 0 if its wait is ended.
    private func standing(
        in standIns: @escaping @Sendable () -> StandIns?, agrees: Bool = true,
        _ errors: TestLog<String> = TestLog()
    ) -> Middleware<Ask, Int> {
        Middleware { next in
            { ask in
                let signal = InternalPromise<Int>()
                let standIns = standIns()
                let number = standIns?.add { error in
                    errors.append("\((error as? ServiceError)?.code.rawValue ?? "\(error)")")
                    return agrees && signal.resolve(with: 0)
                }
                return Future.race([next(ask), signal]).onEnd { _ in
                    if let number { standIns?.remove(number) }
                }
            }
        }
    }

    @Test(arguments: [true, false]) func aDeadlineAsksForAStandInBeforeItFails(agrees: Bool) {
        let (upstream, errors) = (Upstream(on: scheduler), TestLog<String>())
        let deadline: @Sendable () -> StandIns? = { CallContext.current.deadline?.standIns }
        let service = stack(
            .deadline(.seconds(2), on: scheduler), standing(in: deadline, agrees: agrees, errors),
            over: upstream.send)
        let call = service(1)
        scheduler.advance(by: .milliseconds(1_999))
        #expect(call.result == nil && errors.elements.isEmpty)
        scheduler.advance(by: .milliseconds(1))
        #expect(errors.elements == ["deadlineExceeded"] && upstream.cancelled == 1)
        #expect(call.valueNow == (agrees ? 0 : nil))
        #expect(call.serviceError?.policy == (agrees ? nil : "deadline"))
        #expect(scheduler.isIdle)
    }

    @Test func anAnswerThatNeedsMoreTimeComesTooLate() {
        let upstream = Upstream(on: scheduler)
        let late = Middleware<Ask, Int> { [scheduler] next in
            { next($0).delay(.milliseconds(1), on: scheduler) }
        }
        let service = stack(
            .deadline(.seconds(2), on: scheduler), late,
            standing(in: { CallContext.current.deadline?.standIns }), over: upstream.send)
        let call = service(1)
        scheduler.run()
        #expect(call.serviceError?.code == .deadlineExceeded)
        #expect(scheduler.now.offset == .seconds(2))
    }

    @Test func theCallersOwnDeadlineIsAskedByThePolicyThatEndsTheCall() {
        let upstream = Upstream(on: scheduler)
        let service = stack(
            .deadline(.seconds(9), on: scheduler), .deadline(.seconds(8), on: scheduler),
            standing(in: { CallContext.current.deadline?.standIns }), over: upstream.send)
        let context = CallContext(deadline: CallDeadline(after: .seconds(2), on: scheduler))
        let call = context.run { service(1) }
        scheduler.run()
        #expect(call.valueNow == 0 && scheduler.now.offset == .seconds(2))
    }

    @Test func aRetryTellsOfEachFailedAttempt() {
        let upstream = Upstream(
            on: scheduler, [.broken, .error(ServiceError(.timedOut, policy: "a")), .broken])
        let (standIns, errors) = (StandIns(), TestLog<String>())
        let service = stack(
            standing(in: { standIns }, agrees: false, errors),
            .retry(Retry(backoff: .constant(.seconds(1))), on: scheduler, random: .constant(0)),
            over: upstream.send)
        let call = CallContext.current.with(standIns: standIns).run { service(1) }
        scheduler.run()
        // The last attempt's error is the call's own.
        #expect(errors.elements == ["\(Broken())", "timedOut"])
        #expect(call.errorNow is Broken && upstream.count == 3)
    }

    @Test func aStandInThatIsAddedLaterHearsTheLastError() {
        let (standIns, errors) = (StandIns(), TestLog<String>())
        #expect(!standIns.use(after: Broken()))
        let number = standIns.add { errors.append("\($0)") == () }
        #expect(errors.elements == ["\(Broken())"])
        #expect(standIns.use(after: Broken()))
        standIns.remove(number)
        #expect(!standIns.use(after: Broken()) && errors.elements.count == 2)
    }
}
