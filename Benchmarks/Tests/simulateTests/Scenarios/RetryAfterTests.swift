import PledgeSimulation
import Testing

@testable import simulate

/// Clients that got the same Retry-After.
@Suite(.serialized)
struct RetryAfterTests {
    private let settings = ScenarioSettings.ofTests

    /// The most calls in a tenth of a second, of all clients, and the run.
    private func outcome(of name: String) throws -> (peak: Double, run: SimulationRun) {
        let rule = try #require(ReturnRule.all.first { $0.name == name })
        let herd = ReturningClients(clients: settings.choose(1_000, short: 100))
        let found = herd.outcome(of: rule, settings)
        return (Double(found.peak) / Double(herd.clients), found.run)
    }

    @Test func clientsThatWaitExactlyComeBackTogether() throws {
        let found = try outcome(of: "exactly then")
        #expect(found.peak > 0.8)
        #expect(found.run.goodput == 1)
    }

    @Test func aTenthSpreadsTheCallsOverATenthOfTheTime() throws {
        let peak = try outcome(of: "up to a tenth later").peak
        #expect(peak > 0.08 && peak < settings.choose(0.12, short: 0.2), "\(peak)")
    }

    @Test func halfOfTheTimeSpreadsThemFurther() throws {
        let found = try outcome(of: "up to half later")
        #expect(found.peak < settings.choose(0.04, short: 0.08), "\(found.peak)")
        #expect(found.run.endTime < 40)
    }

    @Test func threeTriesAreTooFewForACrowdOfTenTimesTheHost() throws {
        let goodput = try outcome(of: "the same, three tries").run.goodput
        #expect(abs(goodput - 0.45) < settings.choose(0.03, short: 0.15), "\(goodput)")
    }
}
