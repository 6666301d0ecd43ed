import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@Suite struct RetryTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func observed(_ policy: Middleware<Ask, Int>, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(.observed(by: log.observer, on: scheduler), policy, over: upstream.send)
    }

    @Test func aRetryHidesAFailureThatPasses() {
        let upstream = Upstream(on: scheduler, [.broken, .value(7)])
        let call = observed(
            .retry(Retry(backoff: .constant(.milliseconds(100))), on: scheduler), upstream)(1)
        scheduler.run()
        #expect(call.valueNow == 7)
        #expect(upstream.instants == [.zero, .milliseconds(110)])
        #expect(upstream.arrivals.map(\.attempt) == [1, 2])
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 2<1 retry began attempt 1",
                "10 2<1 retry ended retryable in 10: Broken",
                "10 1 retry retrying after 100: Broken",
                "110 3<1 retry began attempt 2",
                "120 3<1 retry ended success in 10",
                "120 1 observed ended success in 120",
            ])
    }

    @Test func byDefaultARetryMakesThreeAttemptsWithFullJitter() {
        let upstream = Upstream(
            on: scheduler, (1...3).map { .error(Broken(number: $0), after: .zero) })
        let random = RandomSource(Constant(.max))
        let call = stack(.retry(on: scheduler, random: random), over: upstream.send)(1)
        scheduler.run()
        #expect(call.errorNow as? Broken == Broken(number: 3))
        #expect(upstream.instants == [.zero, .milliseconds(100), .milliseconds(300)])
    }

    @Test func retriesWithTheSameSeedHaveTheSameDelays() {
        func instants(_ seed: UInt64) -> [Duration] {
            let scheduler = ManualScheduler()
            let upstream = Upstream(on: scheduler, Array(repeating: .broken, count: 6))
            _ = stack(
                .retry(
                    Retry(attempts: 6), on: scheduler,
                    random: RandomSource(SeededGenerator(seed: seed))),
                over: upstream.send)(1)
            scheduler.run()
            return upstream.instants
        }
        #expect(instants(1).count == 6)
        #expect(instants(1) == instants(1))
        #expect(instants(1) != instants(2))
    }

    @Test func aRetryWaitsAsLongAsTheServerAsksAndUpToATenthMore() throws {
        let upstream = Upstream(on: scheduler, [.asked(10_000), .value(7)])
        let call = stack(.retry(on: scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 7)
        let second = try #require(upstream.instants.last)
        #expect(second >= .milliseconds(10_010) && second <= .milliseconds(11_010))
    }

    @Test func aServerThatAsksForNoWaitGetsNoBurstOfAttempts() throws {
        let upstream = Upstream(on: scheduler, Array(repeating: .asked(0), count: 6))
        _ = stack(.retry(Retry(attempts: 6), on: scheduler), over: upstream.send)(1)
        scheduler.run()
        let pauses = zip(upstream.instants, upstream.instants.dropFirst()).map { $1 - $0 }
        #expect(pauses.count == 5)
        // Each attempt takes 10 ms; the first step of the backoff is 100 ms.
        #expect(pauses.allSatisfy { $0 >= .milliseconds(110) })
    }

    @Test func aRetryHasABudgetOfItsOwn() {
        let upstream = Upstream(on: scheduler, Array(repeating: .broken, count: 3_000))
        let service = stack(
            .retry(Retry(backoff: .constant(.zero)), on: scheduler), over: upstream.send)
        let calls = (1...1_000).map { service(Ask($0)) }
        scheduler.run()
        #expect(calls.allSatisfy { $0.errorNow is Broken })
        #expect(upstream.count == 1_000 + 10)
    }

    @Test func aServersDelayThatIsTooLongGivesTheFailureBack() {
        let upstream = Upstream(on: scheduler, [.asked(10_001), .value(7)])
        let call = observed(.retry(on: scheduler), upstream)(1)
        scheduler.run()
        #expect(call.errorNow is Advised)
        #expect(scheduler.now.offset == .milliseconds(10))
        #expect(log.lines.contains("10 1 retry withheld askedTooLong"))
    }

    @Test func aRetryRepeatsAValueThatIsNoSuccessAndReturnsTheLast() {
        let classifier = Classifier<Int> { result in
            if case .success(let value) = result, value < 0 { return .retryable(after: nil) }
            return Classifier.standard(result)
        }
        let upstream = Upstream(on: scheduler, [.value(-1), .value(-2), .value(-3)])
        let call = observed(
            .retry(Retry(backoff: .constant(.zero)), classifier: classifier, on: scheduler),
            upstream)(1)
        scheduler.run()
        #expect(call.valueNow == -3)
        #expect(upstream.count == 3)
        #expect(log.lines.contains("10 1 retry retrying after 0"))
    }

    @Test(
        arguments: [
            CancellationError(), FutureError(.abandoned), ServiceError(.circuitOpen, policy: "b"),
            ServiceError(.rateLimited, policy: "l"), ServiceError(.throttled, policy: "t"),
            ServiceError(.shed, policy: "s"), ServiceError(.bulkheadFull, policy: "b"),
        ] as [any Error & Sendable])
    func aRetryReturnsAFailureThatIsNotRetryableAtOnce(error: any Error & Sendable) {
        let upstream = Upstream(on: scheduler, [.error(error)])
        let call = stack(.retry(on: scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(upstream.count == 1)
        #expect(call.errorNow.map { type(of: $0) == type(of: error) } == true)
    }

    @Test func anInputThatIsNotReplayableIsNeverSentTwice() {
        let upstream = Upstream(on: scheduler, [.broken])
        let call = observed(.retry(on: scheduler), upstream)(Ask(1, isReplayable: false))
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(upstream.count == 1)
        #expect(log.lines.contains("10 1 retry withheld notReplayable"))
    }

    @Test func anInputThatIsNotReplayableIsSentAgainIfItWasNotSent() {
        let unsent = Advised(advisedOutcome: .retryable, isCertainlyUnsent: true)
        let upstream = Upstream(on: scheduler, [.error(unsent), .broken, .value(7)])
        let call = stack(
            .retry(Retry(backoff: .constant(.zero)), on: scheduler), over: upstream.send)(
                Ask(1, isReplayable: false))
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(upstream.count == 2)
    }

    @Test func noRetryIsBegunThatTheDeadlineWouldCut() {
        let upstream = Upstream(on: scheduler, [.broken, .broken, .broken])
        let call = stack(
            .deadline(.milliseconds(120), on: scheduler),
            .observed(by: log.observer, on: scheduler),
            .retry(Retry(backoff: .constant(.milliseconds(50))), on: scheduler), over: upstream.send
        )(1)
        scheduler.run()
        // 0…10, 60…70: 50 ms are left, so the next attempt would begin at the deadline itself.
        #expect(upstream.instants == [.zero, .milliseconds(60)])
        #expect(call.errorNow is Broken)
        #expect(scheduler.now.offset == .milliseconds(70))
        #expect(log.lines.contains("70 1 retry withheld deadline"))
    }

    @Test func aRetryWithAnEmptyBudgetReturnsTheOriginalFailure() {
        let budget = RetryBudget(capacity: 3, retriesPerSuccess: 0.5)
        let upstream = Upstream(on: scheduler, Array(repeating: .broken, count: 99))
        let service = observed(
            .retry(Retry(backoff: .constant(.zero)), budget: budget, on: scheduler), upstream)
        let calls = (1...6).map { service(Ask($0)) }
        scheduler.run()
        #expect(calls.allSatisfy { $0.errorNow is Broken })
        #expect(upstream.count == 6 + 3)
        #expect(budget.balance == 0)
        // Three calls were repeated once, three not at all.
        #expect(log.lines.count { $0.hasSuffix("withheld budget") } == 6)
    }

    /// Attempts that ran out of time on a connection that had answered show one fault, so one retry pays.
    @Test(arguments: [true, false])
    func oneRetryPaysForAllThatWaitedOnASilentConnection(hadAnswered: Bool) {
        let connection = ConnectionEvidence()
        if hadAnswered { connection.noteAnswer() }
        let silent = Promise<Int>()
        let send: Service<Ask, Int> = stack(
            .retry(budget: RetryBudget(capacity: 2), on: scheduler),
            .timeout(.seconds(1), on: scheduler)
        ) { _ in
            let context = CallContext.current
            if context.attempt > 1 { return Future(value: context.attempt) }
            context.record?.use(connection)
            return silent.shielded()
        }
        let calls = (1...20).map { send(Ask($0)) }
        scheduler.advance(by: .seconds(5))
        #expect(calls.count { $0.valueNow == 2 } == (hadAnswered ? 20 : 2))
    }

    @Test func successesFillTheBudgetAndRetriesThatSucceedCostNothing() {
        let budget = RetryBudget(capacity: 2, retriesPerSuccess: 0.5)
        let upstream = Upstream(
            on: scheduler,
            [.broken, .broken, .broken] + [.value(1), .value(2)]
                + Array(repeating: [.broken, .value(3)], count: 9).flatMap { $0 })
        let service = stack(
            .retry(Retry(backoff: .constant(.zero)), budget: budget, on: scheduler),
            over: upstream.send)
        func call() -> Int? {
            let call = service(1)
            scheduler.run()
            return call.valueNow
        }
        #expect(call() == nil)
        #expect(budget.balance == 0)
        #expect(call() == 1)
        #expect(budget.balance == 0)
        #expect(call() == 2)
        #expect(budget.balance == 1)
        for _ in 0..<9 { #expect(call() == 3) }
        #expect(budget.balance == 1)
    }

    @Test func cancellingARetryDuringAWaitPutsItsTokenBackIntoTheBudget() {
        let budget = RetryBudget()
        let upstream = Upstream(on: scheduler, [.broken])
        let call = stack(
            .retry(Retry(backoff: .constant(.seconds(9))), budget: budget, on: scheduler),
            over: upstream.send)(1)
        scheduler.advance(by: .seconds(1))
        #expect(budget.balance == 9)
        call.cancel()
        #expect(budget.balance == 10)
    }

    @Test func aFailureThatIsNotRetriedWithdrawsNothingFromTheBudget() {
        let budget = RetryBudget(capacity: 10, retriesPerSuccess: 0)
        let upstream = Upstream(on: scheduler, [.error(CancellationError()), .broken, .value(1)])
        let service = stack(
            .retry(Retry(attempts: 1), budget: budget, on: scheduler), over: upstream.send)
        for number in 1...3 { _ = service(Ask(number)) }
        scheduler.run()
        #expect(budget.balance == 10)
    }

    @Test func cancellingARetryDuringAnAttemptCancelsTheAttempt() {
        let upstream = Upstream(on: scheduler, [.broken])
        let call = stack(
            .retry(Retry(backoff: .constant(.zero)), on: scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(upstream.count == 2)
        call.cancel()
        #expect(call.isCancelled)
        #expect(upstream.cancelled == 1)
    }

    @Test func cancellingARetryDuringAWaitEndsTheWait() {
        let upstream = Upstream(on: scheduler, [.broken])
        let call = observed(
            .retry(Retry(backoff: .constant(.seconds(1))), on: scheduler), upstream)(1)
        scheduler.advance(by: .milliseconds(500))
        call.cancel()
        #expect(call.isCancelled)
        #expect(scheduler.isIdle)
        #expect(upstream.count == 1)
        #expect(log.lines.last == "500 1 observed ended ignorable in 500: CancellationError")
    }

    @Test func nestedRetriesNumberTheirOwnAttempts() {
        let upstream = Upstream(on: scheduler, Array(repeating: .broken, count: 4))
        let policy = Middleware<Ask, Int>.retry(
            Retry(attempts: 2, backoff: .constant(.zero)), on: scheduler)
        _ = stack(policy, policy, over: upstream.send)(1)
        scheduler.run()
        #expect(upstream.arrivals.map(\.attempt) == [1, 2, 1, 2])
    }
}

/// The lower and upper limits of a retry's parameters.
@Suite(.oneAtATime) struct RetryLimitsTests {
    let scheduler = ManualScheduler()

    @Test(arguments: [false, true])
    func manyAttemptsOfARetryNeedNeitherStackNorMemory(isImmediate: Bool) {
        let count = Locked(0)
        let scheduler = scheduler
        let service = stack(
            .retry(
                Retry(attempts: 20_000, backoff: .constant(isImmediate ? .zero : .milliseconds(1))),
                budget: .unlimited, on: scheduler),
            over: { (ask: Ask) in
                count.withLock { $0 += 1 }
                return Future<Int>(error: Broken())
            })
        let call = service(1)
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(count.withLock { $0 } == 20_000)
    }

    @Test func manyPendingAttemptsOfARetryNeedNeitherStackNorMemory() {
        let scheduler = scheduler
        let recent = Locked<[Weak]>([])
        let mostLiving = Locked(0)
        let service = stack(
            .retry(Retry(attempts: 20_000, backoff: .constant(.zero)), on: scheduler),
            over: { (ask: Ask) in
                let future = Future<Int>.make { resolver in
                    scheduler.schedule(after: .zero) { resolver.reject(with: Broken()) }
                }
                let living = recent.withLock { recent in
                    recent.append(Weak(future: future))
                    if recent.count > 100 { recent.removeFirst() }
                    return recent.count { $0.future != nil }
                }
                mostLiving.withLock { $0 = max($0, living) }
                return future
            })
        let call = service(1)
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(mostLiving.withLock { $0 } <= 3)
    }

    /// A weak reference.
    struct Weak: @unchecked Sendable {
        weak var future: Future<Int>?
    }

    #if os(macOS) || os(Linux)
    @Test func aRetryPolicyOfNoAttemptTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.retry(Retry(attempts: 0)) }
        expectTrap("retry needs at least 1 attempt, not 0", in: result)
    }

    @Test func aRetrysNegativeServerDelayTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.retry(Retry(maxServerDelay: .seconds(-1))) }
        expectTrap("retry needs a maxServerDelay of zero or more", in: result)
    }
    #endif
}
