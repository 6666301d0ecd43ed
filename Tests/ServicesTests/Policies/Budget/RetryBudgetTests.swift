import Dispatch
import Futures
import Services
import TestSupport
import Testing

@Suite(.oneAtATime) struct RetryBudgetTests {
    let scheduler = ManualScheduler()

    @Test func theDefaultsAreThoseOfTheReference() {
        let budget = RetryBudget(on: scheduler)
        #expect(budget.balance == 10)
        for _ in 0..<50 { budget.deposit() }
        #expect(budget.balance == 20)
        for _ in 0..<20 { #expect(budget.withdraw()) }
        #expect(!budget.withdraw())
        scheduler.advance(by: .seconds(60))
        #expect(budget.balance == 10)
    }

    @Test func theUnlimitedOneAllowsEveryRetry() {
        let budget = RetryBudget.unlimited
        for _ in 0..<1_000 { #expect(budget.withdraw()) }
        #expect(budget.balance == .max)
    }

    @available(*, deprecated)
    @Test func theFormerInitializerStillCountsBySeconds() {
        #expect(RetryBudget(minRetriesPerSecond: 10, on: scheduler).balance == 100)
    }

    @Test func severalStacksShareOne() {
        let budget = RetryBudget(minRetries: 0, percentCanRetry: 1, on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .broken, count: 9))
        let policy = Middleware<Ask, Int>.retry(
            attempts: 9, backoff: .constant(.zero), sharing: budget, on: scheduler)
        _ = stack(policy, over: upstream.send)(1)
        _ = stack(.timeout(.seconds(1), on: scheduler), policy, over: upstream.send)(2)
        scheduler.advance(by: .milliseconds(500))
        #expect(upstream.count == 4)
    }

    @Test func threadsWithdrawNoMoreThanThereIs() {
        let budget = RetryBudget(minRetries: 1_000, percentCanRetry: 0, on: scheduler)
        let withdrawn = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<1_000 where budget.withdraw() { withdrawn.withLock { $0 += 1 } }
        }
        #expect(withdrawn.withLock { $0 } == 1_000)
    }

    #if os(macOS) || os(Linux)
    @Test func aTimeToLiveOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RetryBudget(ttl: .zero) }
        expectTrap("a retry budget needs a ttl of more than zero", in: result)
    }

    @Test func aNegativeReserveTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RetryBudget(minRetries: -1) }
        expectTrap("a retry budget needs minRetries in 0...1000000000", in: result)
    }

    @Test func aShareAboveOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RetryBudget(percentCanRetry: 1.1) }
        expectTrap("a retry budget needs percentCanRetry in 0...1, not 1.1", in: result)
    }

    @Test func aShareThatIsNoNumberTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RetryBudget(percentCanRetry: .nan) }
        expectTrap("a retry budget needs percentCanRetry in 0...1, not nan", in: result)
    }
    #endif
}
