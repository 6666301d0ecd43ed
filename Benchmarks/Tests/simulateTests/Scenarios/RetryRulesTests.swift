import PledgeSimulation
import Testing

@testable import simulate

/// The rules of "Fixing retries with token buckets and circuit breakers" (Brooker 2022).
@Suite(.serialized)
struct RetryRulesTests {
    private let settings = ScenarioSettings.ofTests

    private func outcome(
        of name: String, at failureRate: Double
    ) throws -> (load: Double, successRate: Double) {
        let rule = try #require(RetryRule.all.first { $0.name == name })
        let service = FailingService(
            failureRate: failureRate, duration: settings.choose(120, short: 6))
        return service.outcome(of: rule, settings)
    }

    private var tolerance: Double { settings.choose(0.01, short: 0.05) }

    @Test func withoutRetriesAsManySucceedAsTheServiceAnswers() throws {
        let found = try outcome(of: "no retry", at: 0.3)
        #expect(found.load == 1)
        #expect(abs(found.successRate - 0.7) < tolerance)
    }

    @Test func threeRetriesDoFourTimesTheWorkWhereAllFail() throws {
        #expect(try abs(outcome(of: "3 retries", at: 1).load - 4) < 4 * tolerance)
        let half = try outcome(of: "3 retries", at: 0.5)
        #expect(abs(half.load - 1.875) < 2 * tolerance)
        #expect(abs(half.successRate - 0.9375) < tolerance)
    }

    @Test func aTokenBucketRepeatsATenthOfTheSuccesses() throws {
        let half = try outcome(of: "token bucket", at: 0.5)
        // A retry succeeds in half of the cases, and then adds to the bucket: s = 0.5 · (1 + 0.1 · s).
        #expect(abs(half.load - 1.0526) < settings.choose(0.01, short: 0.05), "\(half)")
        #expect(abs(half.successRate - 0.526) < settings.choose(0.01, short: 0.06), "\(half)")
        #expect(try outcome(of: "token bucket", at: 0.01).successRate > 0.999)
    }

    @Test func aBreakerOfRetriesIsLikeNoRetryAboveItsThreshold() throws {
        let found = try outcome(of: "retry breaker", at: 0.4)
        #expect(found.load < 1.02)
        #expect(abs(found.successRate - 0.6) < tolerance)
        #expect(try outcome(of: "retry breaker", at: 0.02).successRate > 0.99)
    }

    @Test func aBudgetAddsAFifthAtMost() throws {
        // A fifth of the calls, and ten a minute for each client.
        let found = try outcome(of: "budget", at: 0.6)
        #expect(abs(found.load - 1.2167) < settings.choose(0.01, short: 0.1), "\(found)")
        #expect(try outcome(of: "budget", at: 0.1).successRate > 0.995)
    }

    @Test func aBreakerOfAllCallsTurnsAPartialFailureIntoAWholeOne() throws {
        let found = try outcome(of: "breaker", at: 0.5)
        #expect(found.load < 0.2, "\(found)")
        #expect(found.successRate < 0.15, "\(found)")
    }
}
