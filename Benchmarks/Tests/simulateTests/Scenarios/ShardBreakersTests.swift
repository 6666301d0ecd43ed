import PledgeSimulation
import Testing

@testable import simulate

/// Breakers over a service of which a part fails ("Will circuit breakers solve my problems?", Brooker 2022).
@Suite(.serialized)
struct ShardBreakersTests {
    private let settings = ScenarioSettings.ofTests

    /// The short form has fewer clients, which make more calls each: breakers see enough calls soon.
    private func outcome(
        of name: String, failingShards: Int
    ) throws -> ShardedService.Outcome {
        let rule = try #require(BreakerRule.all.first { $0.name == name })
        var service = ShardedService()
        service.failingShards = failingShards
        if settings.isShort { (service.clients, service.duration) = (20, 24) }
        return service.outcome(of: rule, settings)
    }

    @Test func withoutABreakerTheOtherShardsAnswer() throws {
        let found = try outcome(of: "no breaker", failingShards: 3)
        #expect(found.goodput == 1)
        #expect(found.load == 1)
    }

    @Test func aBreakerOfAllShardsRefusesCallsToThoseThatWork() throws {
        let found = try outcome(of: "each client", failingShards: 3)
        #expect(found.goodput < settings.choose(0.65, short: 0.6), "\(found)")
        #expect(found.goodput > settings.choose(0.5, short: 0.05), "\(found)")
        #expect(try outcome(of: "one for all clients", failingShards: 3).goodput < 0.1)
    }

    @Test func aBreakerForEachShardKeepsCallsFromTheOnesThatFail() throws {
        let found = try outcome(of: "each client and shard", failingShards: 3)
        #expect(found.goodput == 1)
        #expect(found.load < settings.choose(0.07, short: 0.3), "\(found)")
    }

    @Test func aRetryWithABudgetRefusesNothing() throws {
        let found = try outcome(of: "retry with a budget", failingShards: 3)
        #expect(found.goodput == 1)
        #expect(found.refused == 0)
        // Of 100 clients each repeats ten calls that fail.
        #expect(found.load > 1 && found.load < 1.5, "\(found)")
    }
}
