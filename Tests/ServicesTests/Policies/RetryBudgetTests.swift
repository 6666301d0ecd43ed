import Dispatch
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite(.oneAtATime) struct RetryBudgetTests {
    let scheduler = ManualScheduler()

    @Test func aRetryBudgetIsTenAndAFifthForEachSuccessByDefault() {
        let budget = RetryBudget()
        #expect(budget.balance == 10)
        for _ in 0..<10 { #expect(budget.withdraw()) }
        #expect(!budget.withdraw())
        for _ in 0..<5 { budget.deposit() }
        #expect(budget.balance == 1)
        #expect(budget.withdraw())
        budget.refund()
        #expect(budget.balance == 1)
        for _ in 0..<999 { budget.deposit() }
        #expect(budget.balance == 10)
    }

    @Test func anUnlimitedRetryBudgetAllowsEveryRetry() {
        let budget = RetryBudget.unlimited
        for _ in 0..<1_000 { #expect(budget.withdraw()) }
        #expect(budget.balance == .max)
    }

    /// Errors of 30 % are repeated without end, since a retry that succeeds costs nothing; an outage costs ten.
    @Test func aServiceThatWorksHasAllRetriesAndOneThatIsDownHasTen() {
        let budget = RetryBudget()
        var generator = SeededGenerator(seed: 4)
        let isDown = Locked(false)
        let sent = Locked(0)
        let draws = Locked(generator.next())
        let service: Service<Ask, Int> = { _ in
            sent.withLock { $0 += 1 }
            let fails = draws.withLock { state in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (state >> 33) % 100 < 30
            }
            return fails || isDown.withLock { $0 }
                ? Future(error: Broken(number: 1)) : Future(value: 1)
        }
        let load = stack(
            .retry(Retry(backoff: .constant(.zero)), budget: budget, on: scheduler), over: service)
        let succeeded = (0..<1_000).count { load(Ask($0)).valueNow == 1 }
        // 1 − 0.3³ is 97.3 %.
        #expect(succeeded > 950, "\(succeeded)")
        let before = sent.withLock { $0 }
        isDown.withLock { $0 = true }
        for number in 0..<1_000 { _ = load(Ask(number)) }
        #expect(sent.withLock { $0 } - before <= 1_010)
    }

    @Test func severalStacksMayShareARetryBudget() {
        let budget = RetryBudget(capacity: 2)
        let upstream = Upstream(on: scheduler, Array(repeating: .broken, count: 9))
        let policy = Middleware<Ask, Int>.retry(
            Retry(attempts: 9, backoff: .constant(.zero)), budget: budget, on: scheduler)
        _ = stack(policy, over: upstream.send)(1)
        _ = stack(.timeout(.seconds(1), on: scheduler), policy, over: upstream.send)(2)
        scheduler.advance(by: .milliseconds(500))
        #expect(upstream.count == 4)
    }

    @Test func threadsWithdrawNoMoreThanARetryBudgetHas() {
        let budget = RetryBudget(capacity: 1_000)
        let withdrawn = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<1_000 where budget.withdraw() { withdrawn.withLock { $0 += 1 } }
        }
        #expect(withdrawn.withLock { $0 } == 1_000)
    }

    #if os(macOS) || os(Linux)
    @Test func aRetryBudgetsNegativeCapacityTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RetryBudget(capacity: -1) }
        expectTrap("a retry budget needs a capacity in 0...1000000, not -1", in: result)
    }

    @Test func aRetryBudgetsShareAboveOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RetryBudget(retriesPerSuccess: 1.1) }
        expectTrap("a retry budget needs retriesPerSuccess in 0...1, not 1.1", in: result)
    }

    @Test func aRetryBudgetsShareThatIsNoNumberTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RetryBudget(retriesPerSuccess: .nan) }
        expectTrap("a retry budget needs retriesPerSuccess in 0...1, not nan", in: result)
    }
    #endif
}

@Suite struct TokenBucketTests {
    @Test func fiveAdditionsOfAFifthAreOneTokenOfABucket() {
        var bucket = TokenBucket(capacity: 10, share: 0.2, initial: 0)
        for _ in 0..<4 { bucket.add() }
        #expect(bucket.balance == 0)
        let (early, _) = (bucket.takeToken(), bucket.add())
        #expect(!early)
        #expect(bucket.balance == 1)
        let (first, second) = (bucket.takeToken(), bucket.takeToken())
        #expect(first && !second)
    }

    @Test(arguments: [(0.1, 10), (0.2, 5), (0.25, 4), (0.29, 4), (0.5, 2), (0.7, 2), (1, 1)])
    func aTokenBucketsSharesAreExact(share: Double, additions: Int) {
        var bucket = TokenBucket(capacity: 10, share: share, initial: 0)
        for _ in 1..<additions { bucket.add() }
        let early = bucket.takeToken()
        bucket.add()
        let late = bucket.takeToken()
        #expect(!early && late)
    }

    @Test func nothingIsAddedAboveATokenBucketsCapacity() {
        var bucket = TokenBucket(capacity: 2, share: 1, initial: 1)
        for _ in 0..<9 { bucket.add() }
        #expect(bucket.balance == 2)
        bucket.putBack(9)
        #expect(bucket.balance == 2)
        var none = TokenBucket(capacity: 0, share: 1, initial: 0)
        none.add()
        let taken = none.takeToken()
        #expect(!taken)
    }

    @Test func theLargestNumbersDoNotOverflowATokenBucket() {
        var bucket = TokenBucket(
            capacity: 1_000_000, share: .leastNonzeroMagnitude, initial: 1_000_000)
        bucket.add()
        bucket.putBack(1_000_000)
        #expect(bucket.balance == 1_000_000)
    }

    /// Compared with fractions of whole numbers.
    @Test func aTokenBucketAgreesWithAnOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<200 {
            let (capacity, price) = (
                Int.random(in: 0...3, using: &generator),
                [10, 5, 4, 2, 1].randomElement(using: &generator) ?? 1
            )
            var bucket = TokenBucket(
                capacity: capacity, share: 1 / Double(price), initial: capacity)
            var parts = capacity * price
            for _ in 0..<300 {
                switch Int.random(in: 0..<3, using: &generator) {
                case 0:
                    bucket.add()
                    parts = min(capacity * price, parts + 1)
                case 1:
                    let mayTake = parts >= price
                    let taken = bucket.takeToken()
                    #expect(taken == mayTake)
                    if mayTake { parts -= price }
                default:
                    bucket.putBack()
                    parts = min(capacity * price, parts + price)
                }
                #expect(bucket.balance == parts / price)
            }
        }
    }
}
