import PledgeSimulation
import Testing

@testable import simulate

/// Retries in five layers ("Timeouts, retries, and backoff with jitter", the Amazon Builders' Library).
@Suite(.serialized)
struct RetryLayersTests {
    private let settings = ScenarioSettings.ofTests

    private func rule(_ name: String) throws -> LayerRule {
        try #require(LayerRule.all.first { $0.name == name })
    }

    private var services: LayeredServices {
        LayeredServices(
            rate: settings.choose(20, short: 10), before: settings.choose(60, short: 10),
            outage: settings.choose(180, short: 60))
    }

    @Test(arguments: [
        ("no retry", 1), ("three tries in each layer", 243), ("three tries at the top", 3),
        ("three tries above the database", 3), ("not what failed beneath", 3),
        // The upper layers get one call and three, and repeat each twice; the others have ten retries each.
        ("budget of a fifth in each", 39),
    ])
    func aCallIsSoManyAtADatabaseThatFails(name: String, count: Int) throws {
        let calls = try LayeredServices.callsOfOne(rule(name), settings)
        #expect(calls == count)
    }

    @Test func threeTriesInEachLayerStayAt243() throws {
        var services = services
        if settings.isShort { (services.rate, services.before, services.outage) = (2, 1, 3) }
        let outcome = try services.outcome(of: rule("three tries in each layer"), settings)
        #expect(services.peak(outcome) <= 243)
        #expect(services.load(outcome) > settings.choose(242, short: 150))
    }

    @Test func aFailureBeneathThatIsNotRepeatedStaysAtThree() throws {
        let outcome = try services.outcome(of: rule("not what failed beneath"), settings)
        #expect(services.peak(outcome) == 3)
    }

    @Test(arguments: ["budget of a fifth in each", "budget of a tenth in each"])
    func budgetsBoundTheMeanAndTheSecond(name: String) throws {
        let outcome = try services.outcome(of: rule(name), settings)
        // Each layer has ten retries for the whole outage.
        let calls = Double(services.rate * services.outage)
        #expect(services.load(outcome) < 1.1 * (1 + 50 / calls), "\(outcome)")
        #expect(services.peak(outcome) < settings.choose(4, short: 7), "\(outcome)")
    }

    @Test func aRetryInOneLayerIsEnoughForFailuresByChance() throws {
        var services = services
        services.failureRate = 0.3
        let outcome = try services.outcome(of: rule("three tries above the database"), settings)
        // All but 0.3³.
        #expect(abs(services.goodput(outcome) - 0.973) < settings.choose(0.01, short: 0.03))
        #expect(abs(services.load(outcome) - 1.39) < settings.choose(0.05, short: 0.1))
    }
}
