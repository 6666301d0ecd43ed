import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite struct HedgeTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func observed(_ policy: Middleware<Ask, Int>, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(.observed(by: log.observer, on: scheduler), policy, over: upstream.send)
    }

    @Test func aFastCallIsAlone() {
        let upstream = Upstream(on: scheduler, [.value(7, after: .milliseconds(49))])
        let call = observed(.hedge(after: .milliseconds(50), on: scheduler), upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(upstream.count == 1)
        #expect(scheduler.now.offset == .milliseconds(49))
        #expect(!log.lines.contains { $0.contains("hedge") && !$0.contains("<1 hedge") })
    }

    @Test func aSlowOneGetsASecondAndTheFirstSuccessWins() {
        let upstream = Upstream(
            on: scheduler, [.value(1, after: .milliseconds(200)), .value(2)])
        let call = observed(.hedge(after: .milliseconds(50), on: scheduler), upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 2)
        #expect(upstream.instants == [.zero, .milliseconds(50)])
        #expect(upstream.cancelled == 1)
        #expect(scheduler.now.offset == .milliseconds(60))
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 2<1 hedge began call 1",
                "50 1 hedge hedged(after: 0.05 seconds)",
                "50 3<1 hedge began hedge 2",
                "60 3<1 hedge ended success in 10",
                "60 1 hedge hedgeWon(number: 2)",
                "60 1 hedge hedgeLost(number: 1)",
                "60 2<1 hedge ended ignorable in 60: CancellationError",
                "60 1 observed ended success in 60",
            ])
    }

    @Test func theFirstCallMayWin() {
        let upstream = Upstream(
            on: scheduler, [.value(1, after: .milliseconds(60)), .value(2, after: .seconds(1))])
        let call = observed(.hedge(after: .milliseconds(50), on: scheduler), upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(upstream.cancelled == 1)
        #expect(log.lines.contains("60 1 hedge hedgeWon(number: 1)"))
        #expect(log.lines.contains("60 1 hedge hedgeLost(number: 2)"))
    }

    @Test func aFailureThatMayPassStartsTheNextAtOnceAndTheDelayAnew() {
        let upstream = Upstream(on: scheduler, [.broken, .never, .value(3)])
        let call = stack(
            .hedge(after: .milliseconds(50), attempts: 3, maxExtraLoad: 1, on: scheduler),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 3)
        #expect(upstream.instants == [.zero, .milliseconds(10), .milliseconds(60)])
    }

    @Test func aFatalFailureEndsAll() {
        let fatal = Advised(advisedOutcome: .failure)
        let upstream = Upstream(on: scheduler, [.never, .error(fatal), .value(3)])
        let call = stack(
            .hedge(after: .milliseconds(50), attempts: 3, maxExtraLoad: 1, on: scheduler),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.errorNow is Advised)
        #expect(upstream.count == 2)
        #expect(upstream.cancelled == 1)
        #expect(scheduler.now.offset == .milliseconds(60))
    }

    /// A limiter beneath, an open breaker, or the breaker whose probe is hedged.
    @Test func aHedgeThatIsRefusedBeneathWasNotMade() {
        let refusal = ServiceError(.circuitOpen, policy: "circuitBreaker")
        let upstream = Upstream(
            on: scheduler,
            [.value(1, after: .milliseconds(80)), .error(refusal, after: .zero)])
        let budget = RetryBudget()
        let service = observed(
            .hedge(after: .milliseconds(50), sharing: budget, on: scheduler), upstream)
        let call = service(1)
        scheduler.advance(by: .milliseconds(50))
        #expect(upstream.count == 2)
        #expect(budget.balance == 10)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(upstream.cancelled == 0)
    }

    @Test func theFailureOfACallThatWasMadeIsTheResultAndNotTheRefusal() {
        let refusal = ServiceError(.rateLimited, policy: "rateLimit")
        for (first, second) in [(80, 10), (60, 20)] {
            let upstream = Upstream(
                on: scheduler,
                [
                    .error(Broken(number: 1), after: .milliseconds(first)),
                    .error(refusal, after: .milliseconds(second)),
                ])
            let call = stack(
                .hedge(after: .milliseconds(50), on: scheduler), over: upstream.send)(1)
            scheduler.run()
            #expect(call.errorNow as? Broken == Broken(number: 1))
        }
        let alone = Upstream(on: scheduler, [.error(refusal)])
        let call = stack(
            .hedge(after: .milliseconds(50), on: scheduler), over: alone.send)(1)
        scheduler.run()
        #expect(call.errorNow is ServiceError)
    }

    @Test func aBreakersProbeSurvivesItsHedge() {
        let breaker = CircuitBreaker(
            failuresInARow: 1, backoff: .constant(.seconds(1)), on: scheduler)
        let upstream = Upstream(
            on: scheduler,
            [.broken] + Array(repeating: .value(1, after: .milliseconds(80)), count: 9))
        let load = stack(
            .hedge(after: .milliseconds(50), maxExtraLoad: 1, on: scheduler),
            .circuitBreaker(sharing: breaker), over: upstream.send)
        _ = load(1)
        scheduler.run()
        scheduler.advance(by: .seconds(2))
        let probe = load(2)
        scheduler.run()
        #expect(probe.valueNow == 1)
        #expect(breaker.state == .closed)
    }

    @Test func ifAllFailTheLastFailureIsGivenBack() {
        let upstream = Upstream(
            on: scheduler,
            [
                .error(Broken(number: 1), after: .milliseconds(70)),
                .error(Broken(number: 2), after: .milliseconds(10)),
            ])
        let call = stack(.hedge(after: .milliseconds(50), on: scheduler), over: upstream.send)(1)
        scheduler.advance(by: .milliseconds(69))
        #expect(call.result == nil)
        scheduler.run()
        #expect(call.errorNow as? Broken == Broken(number: 1))
        #expect(upstream.count == 2)
    }

    @Test func aCallCancelledByItsServiceDoesNotEndTheOthers() {
        let upstream = Upstream(
            on: scheduler,
            [
                .error(CancellationError(), after: .milliseconds(55)),
                .value(2, after: .milliseconds(20)),
            ])
        let call = stack(.hedge(after: .milliseconds(50), on: scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 2)
        #expect(upstream.count == 2)
    }

    @Test func theServicesDelayIsWaitedForBesideAnotherCall() {
        let upstream = Upstream(
            on: scheduler, [.never, .asked(100), .value(3)])
        let call = stack(
            .hedge(after: .milliseconds(50), attempts: 3, maxExtraLoad: 1, on: scheduler),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 3)
        #expect(upstream.instants == [.zero, .milliseconds(50), .milliseconds(160)])
    }

    @Test func otherwiseTheFailureIsGivenBackToWhoWaits() {
        let upstream = Upstream(on: scheduler, [.asked(100), .value(2)])
        let call = stack(
            .retry(on: scheduler), .hedge(after: .milliseconds(50), on: scheduler),
            over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 2)
        // A tenth of the calls may be added.
        #expect(upstream.count == 2)
        #expect((.milliseconds(110) ... .milliseconds(120)).contains(upstream.instants[1]))
    }

    @Test func cancellingCancelsAllCallsAndTheTimer() {
        let upstream = Upstream(on: scheduler)
        let call = stack(
            .hedge(after: .milliseconds(50), attempts: 4, maxExtraLoad: 1, on: scheduler),
            over: upstream.send)(1)
        scheduler.advance(by: .milliseconds(100))
        #expect(upstream.count == 3)
        call.cancel()
        #expect(upstream.cancelled == 3)
        #expect(scheduler.isIdle)
    }

    @Test func theAttemptIsThatOfTheRetryAround() {
        let upstream = Upstream(on: scheduler, [.broken, .broken, .never, .value(2)])
        let call = stack(
            .retry(backoff: .constant(.zero), on: scheduler),
            .hedge(after: .milliseconds(50), maxExtraLoad: 1, on: scheduler), over: upstream.send)(
                1)
        scheduler.run()
        #expect(call.valueNow == 2)
        #expect(upstream.arrivals.map(\.attempt) == [1, 1, 2, 2])
    }
}
