import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// Calls that are not hedged, and invalid parameters.
@Suite(.oneAtATime) struct HedgeLimitsTests {
    let scheduler = ManualScheduler()

    @Test(arguments: [Upstream.Step.broken, .atOnce(.failure(Broken())), .never])
    func onlyAReplayableInputIsHedged(_ step: Upstream.Step) {
        let upstream = Upstream(on: scheduler, [step, .value(2)])
        let call = stack(.hedge(after: .milliseconds(50), on: scheduler), over: upstream.send)(
            Ask(1, isReplayable: false))
        #expect(scheduler.isIdle || call.result == nil)
        scheduler.run()
        #expect(upstream.count == 1)
    }

    @Test(arguments: [false, true]) func oneAttemptIsNotHedged(isBroken: Bool) {
        let upstream = Upstream(on: scheduler, isBroken ? [.broken] : [])
        let call = stack(
            .hedge(after: .milliseconds(5), attempts: 1, on: scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(upstream.count == 1)
        #expect((call.errorNow is Broken) == isBroken)
    }

    @Test func whatFailsAtOnceIsHedgedAtOnce() {
        let upstream = Upstream(
            on: scheduler, [.atOnce(.failure(Broken())), .atOnce(.success(2))])
        #expect(stack(.hedge(on: scheduler), over: upstream.send)(1).valueNow == 2)
        let fatal = Upstream(
            on: scheduler, [.atOnce(.failure(Advised(advisedOutcome: .failure)))])
        #expect(stack(.hedge(on: scheduler), over: fatal.send)(1).errorNow is Advised)
        #expect(fatal.count == 1)
        #expect(scheduler.isIdle)
    }

    @Test func thoseThatFailAtOnceAreBoundedByTheBudget() {
        let count = Locked(0)
        let scheduler = scheduler
        let load = stack(
            .hedge(attempts: 10_000, maxExtraLoad: 1, on: scheduler),
            over: { (ask: Ask) in
                count.withLock { $0 += 1 }
                return Future<Int>(error: Broken())
            })
        _ = load(1)
        // The call, and the ten hedges that are saved at most while no other is under way.
        #expect(count.withLock { $0 } == 11)
    }

    @Test func noHedgeIsBegunThatTheDeadlineWouldCut() {
        for (milliseconds, count) in [(50, 1), (51, 2)] {
            let scheduler = ManualScheduler()
            let upstream = Upstream(on: scheduler)
            let call = stack(
                .deadline(.milliseconds(milliseconds), on: scheduler),
                .hedge(after: .milliseconds(50), on: scheduler), over: upstream.send)(1)
            scheduler.run()
            #expect(call.serviceError?.code == .deadlineExceeded)
            #expect(upstream.count == count)
            #expect(upstream.inFlight == 0)
        }
    }

    @Test func noFailureIsHedgedAfterTheDeadline() {
        let upstream = Upstream(on: scheduler, [.error(Broken(), after: .milliseconds(10))])
        let context = CallContext(deadline: CallDeadline(after: .milliseconds(10), on: scheduler))
        let call = context.run { stack(.hedge(on: scheduler), over: upstream.send)(1) }
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(upstream.count == 1)
    }

    #if os(macOS) || os(Linux)
    @Test func noAttemptTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.hedge(attempts: 0) }
        expectTrap("hedge needs at least 1 attempt, not 0", in: result)
    }

    @Test func aNegativeDelayTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.hedge(after: .milliseconds(-1)) }
        expectTrap("hedge needs a delay of zero or more", in: result)
    }

    @Test func aShareAboveOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.hedge(maxExtraLoad: 1.1) }
        expectTrap("hedge needs maxExtraLoad in 0...1, not 1.1", in: result)
    }
    #endif
}
