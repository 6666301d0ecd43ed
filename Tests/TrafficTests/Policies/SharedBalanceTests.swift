import PledgeFutures
import PledgeServices
import PledgeTraffic
import ServicesTestSupport
import TestSupport
import Testing

@Suite(.oneAtATime) struct SharedBalanceTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func budget(
        _ store: TestPolicyStore, capacity: Int = 2, share: Double = 0.2,
        failing: SharedState.Failing = .open
    ) -> RetryBudget {
        RetryBudget(
            capacity: capacity, retriesPerSuccess: share,
            shared: SharedState("shop", in: store, failing: failing, on: scheduler))
    }

    func service(
        _ budget: RetryBudget, attempts: Int = 3, backoff: Duration = .milliseconds(100),
        _ upstream: Upstream
    ) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler),
            .retry(
                Retry(attempts: attempts, backoff: .constant(backoff)), budget: budget,
                on: scheduler),
            over: upstream.send)
    }

    func broken(_ count: Int) -> Upstream {
        Upstream(on: scheduler, Array(repeating: .atOnce(.failure(Broken())), count: count))
    }

    @Test("machines draw on one balance, and a call without a retry keeps its own failure")
    func machinesDrawOnOneBalance() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), broken(9))
        let (one, other) = (budget(store), budget(store))
        let first = service(one, upstream)(1)
        scheduler.run()
        #expect(upstream.count == 3)
        #expect(first.errorNow is Broken)
        let second = service(other, upstream)(2)
        scheduler.run()
        #expect(second.errorNow as? Broken == Broken())
        #expect(upstream.count == 4)
        #expect(one.balance == 0 && other.balance == 0)
        #expect(log.lines.suffix(2).first == "200 1 retry withheld budget")
        #expect(log.lines.count { $0.contains("retrying") } == 2)
        #expect(store.requests == Array(repeating: "take 1.0 shop:retry", count: 3))
    }

    @Test func theSuccessesOfOneMachinePayForTheRetriesOfAnother() {
        let store = TestPolicyStore(on: scheduler)
        let (one, other) = (budget(store), budget(store))
        _ = service(one, broken(3))(1)
        scheduler.run()
        let works = Upstream(on: scheduler, Array(repeating: .atOnce(.success(1)), count: 9))
        for number in 1...5 { _ = service(other, works)(Ask(number)) }
        #expect(store.requests.last == "take -1.0 shop:retry")
        let upstream = broken(3)
        _ = service(one, upstream)(2)
        scheduler.run()
        #expect(upstream.count == 2)
    }

    @Test("a retry that succeeds, or is cancelled before it is sent, puts back what it took")
    func aRetryPutsBackWhatItTook() {
        let store = TestPolicyStore(on: scheduler)
        let (one, other) = (budget(store, capacity: 1), budget(store, capacity: 1))
        _ = service(
            one, Upstream(on: scheduler, [.atOnce(.failure(Broken())), .atOnce(.success(1))]))(1)
        scheduler.run()
        #expect(store.requests == ["take 1.0 shop:retry", "take -1.0 shop:retry"])
        let call = service(other, broken(2))(2)
        call.cancel()
        #expect(store.requests.suffix(2) == ["take 1.0 shop:retry", "take -1.0 shop:retry"])
        let upstream = broken(2)
        _ = service(one, attempts: 2, upstream)(3)
        scheduler.run()
        #expect(upstream.count == 2)
    }

    @Test func machinesTogetherNeverRetryMoreThanTheBalanceAndTheSuccessesAllow() {
        var (retries, withheld) = (0, 0)
        for seed in 0..<UInt64(scriptCount() / 40) {
            var dice = SeededGenerator(seed: seed)
            let (store, delays) = (
                TestPolicyStore(on: scheduler), Locked(SeededGenerator(seed: seed))
            )
            store.latency = {
                delays.withLock { .milliseconds(Int.random(in: 0...40, using: &$0)) }
            }
            let capacity = Int.random(in: 0...6, using: &dice)
            let counts = Locked((successes: 0, retries: 0, refunds: 0))
            let failures = Int.random(in: 1...10, using: &dice)
            let outcomes = Locked(SeededGenerator(seed: seed))
            let machines = (0..<5).map { _ in
                stack(
                    .retry(
                        Retry(backoff: .fullJitter()),
                        budget: budget(store, capacity: capacity, share: 0.25), on: scheduler,
                        random: RandomSource(SeededGenerator(seed: seed))),
                    over: { (_: Int) in
                        let fails = outcomes.withLock {
                            Int.random(in: 0...9, using: &$0) < failures
                        }
                        counts.withLock { counts in
                            let isFirst = CallContext.current.attempt == 1
                            if !isFirst { counts.retries += 1 }
                            if !isFirst, !fails { counts.refunds += 1 }
                            if isFirst, !fails { counts.successes += 1 }
                        }
                        return fails ? Future<Int>(error: Broken()) : Future(value: 1)
                    })
            }
            var calls: [Future<Int>] = []
            for number in 0..<100 {
                scheduler.advance(by: .milliseconds(Int.random(in: 0...20, using: &dice)))
                calls.append(machines.randomElement(using: &dice)!(number))
            }
            scheduler.run()
            let (successes, all, refunds) = counts.withLock { $0 }
            #expect(Double(all) <= Double(capacity) + 0.25 * Double(successes) + Double(refunds))
            retries += all
            withheld += calls.count { $0.errorNow is Broken }
        }
        #expect(retries > 0 && withheld > 0)
    }

    @Test("the store is asked while the backoff passes, and no retry is made before it answers")
    func aRetryWaitsForTheStoresAnswer() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), broken(3))
        store.latency = { .milliseconds(15) }
        _ = service(budget(store), attempts: 2, upstream)(1)
        scheduler.run()
        #expect(upstream.instants == [.zero, .milliseconds(100)])
        #expect(log.lines.contains("30 1 retry retrying after 100: Broken"))

        let (_, slow) = (scheduler.advance(by: .seconds(1)), broken(3))
        let start = scheduler.now.offset
        _ = service(budget(store), attempts: 2, backoff: .milliseconds(10), slow)(2)
        scheduler.run()
        #expect(slow.instants.map { $0 - start } == [.zero, .milliseconds(30)])
    }

    @Test func aRetryIsNotMadeIfTheCallsDeadlinePassesBeforeTheStoreAnswers() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), broken(3))
        store.mode = .hangs
        let context = CallContext(deadline: CallDeadline(after: .milliseconds(40), on: scheduler))
        let call = context.run { service(budget(store), backoff: .milliseconds(10), upstream)(1) }
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(upstream.count == 1)
        #expect(scheduler.now.offset == .milliseconds(40))
    }

    @Test(
        "while the store fails, an open budget is this machine's own, a closed one allows no retry"
    )
    func anOpenBudgetIsLocalWhileTheStoreFails() {
        let store = TestPolicyStore(on: scheduler)
        store.mode = .fails
        let open = broken(9)
        _ = service(budget(store), attempts: 9, open)(1)
        scheduler.run()
        #expect(open.count == 3)
        let closed = broken(9)
        let call = service(budget(store, failing: .closed), closed)(2)
        scheduler.run()
        #expect(closed.count == 1)
        #expect(call.errorNow is Broken)
        #expect(log.lines.contains("0 1 retry note(\"the store failed: going on without it\")"))
        #expect(log.lines.contains("200 1 retry note(\"the store failed: refusing\")"))
        #expect(log.lines.suffix(2).first == "200 1 retry withheld budget")
    }

    @Test(
        "deposits are sent as whole tokens, one request at a time, and not while the bucket is full"
    )
    func aSharedBudgetSendsDepositsAsWholeTokensOneAtATime() {
        let store = TestPolicyStore(on: scheduler)
        let budget = budget(store, capacity: 3)
        for _ in 1...4 { budget.deposit() }
        #expect(store.requests == [])
        budget.deposit()
        #expect(store.requests == ["take -1.0 shop:retry"])
        for _ in 1...50 { budget.deposit() }
        #expect(store.requests.count == 1)
        scheduler.advance(by: .seconds(1))

        #expect(budget.withdraw())
        store.latency = { .milliseconds(10) }
        for _ in 1...15 { budget.deposit() }
        #expect(store.requests.suffix(2) == ["take 1.0 shop:retry", "take -1.0 shop:retry"])
        scheduler.advance(by: .milliseconds(20))
        _ = budget.withdraw()
        scheduler.advance(by: .milliseconds(20))
        budget.deposit()
        #expect(store.requests.last == "take -2.0 shop:retry")
    }

    @Test func aHedgeDoesNotWaitForTheStoreOfItsSharedBudget() {
        let store = TestPolicyStore(on: scheduler)
        let shared = budget(store, capacity: 1)
        store.latency = { .milliseconds(50) }
        func hedged() -> Int {
            let upstream = Upstream(on: scheduler, [.never, .never])
            let call = stack(
                .hedge(
                    sharing: Hedge(
                        after: .milliseconds(10), maxExtraLoad: 1, budget: shared, on: scheduler)),
                over: upstream.send)(1)
            scheduler.advance(by: .milliseconds(10))
            defer { call.cancel() }
            return upstream.count
        }
        #expect(hedged() == 2)
        #expect(store.requests == ["take 1.0 shop:retry"])
        #expect(hedged() == 1)
    }

    @Test func aClosedBudgetAllowsNoHedgeWhileTheStoreFails() {
        let store = TestPolicyStore(on: scheduler)
        let (open, closed) = (budget(store), budget(store, failing: .closed))
        store.mode = .fails
        for budget in [open, closed] { (1...5).forEach { _ in budget.deposit() } }
        #expect(open.withdraw() && !closed.withdraw())
        store.mode = .works
        scheduler.advance(by: .seconds(1))
        #expect(!closed.withdraw())
        #expect(closed.withdraw())
    }

    @Test func resettingABudgetFillsTheBucketForAllMachines() {
        let store = TestPolicyStore(on: scheduler)
        let (one, other) = (budget(store), budget(store))
        _ = service(one, broken(3))(1)
        scheduler.run()
        other.reset()
        let upstream = broken(9)
        _ = service(one, upstream)(2)
        scheduler.run()
        #expect(upstream.count == 3)
    }

    @Test func manyRetriesOnASharedBudgetWithoutAWaitNeedNoDeepStack() {
        let store = TestPolicyStore(on: scheduler)
        let count = depth()
        let number = Locked(0)
        let call = stack(
            .retry(
                Retry(attempts: count, backoff: .constant(.zero)),
                budget: budget(store, capacity: count), on: scheduler),
            over: { (_: Ask) in
                let isLast = number.withLock {
                    $0 += 1
                    return $0 == count
                }
                return isLast ? Future(value: 7) : Future<Int>(error: Broken())
            })(1)
        #expect(call.valueNow == 7)
    }
}
