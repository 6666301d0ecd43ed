import PledgeSimulation
import Testing

@testable import simulate

/// Clients whose tokens expire at the same time.
@Suite(.serialized)
struct TokenRenewalTests {
    private let settings = ScenarioSettings.ofTests

    private var herd: TokenHerd { TokenHerd(clients: settings.choose(1_000, short: 20)) }

    private func outcome(of name: String) throws -> TokenHerd.Outcome {
        let rule = try #require(RenewalRule.all.first { $0.name == name })
        let found = herd.outcome(of: rule, settings)
        #expect(found.run.escapedActions == 0)
        return found
    }

    private func goodput(_ found: TokenHerd.Outcome) -> Double {
        found.run.goodput(in: TokenHerd.Outcome.herdTime)
    }

    @Test func withoutARefresherEachCallGetsAToken() throws {
        let found = try outcome(of: "at its end, by each call")
        #expect(Double(found.renewals.max() ?? 0) > 2.5 * Double(herd.clients))
        #expect(goodput(found) < 1)
    }

    @Test func aRefresherMakesOneCallForEachClientAtOnce() throws {
        let found = try outcome(of: "at its end, by each client")
        #expect(found.renewals.max() == herd.clients)
        #expect(goodput(found) < 0.99)
    }

    @Test(arguments: ["10 s before its end", "half of its lifetime before"])
    func aLeewayKeepsCallsFromFailing(name: String) throws {
        let found = try outcome(of: name)
        #expect(found.renewals.max() == herd.clients)
        #expect(goodput(found) == 1)
        // What the server refuses is repeated by the next call.
        #expect(Double(found.renewalCount) > settings.choose(2, short: 1.2) * Double(herd.clients))
    }

    @Test(arguments: ["5 to 15 s before, drawn", "lifetimes of 20 to 30 s, drawn"])
    func timesThatAreDrawnSpreadTheCalls(name: String) throws {
        let found = try outcome(of: name)
        let peak = Double(found.renewals.max() ?? 0)
        #expect(peak < settings.choose(0.13, short: 0.4) * Double(herd.clients), "\(peak)")
        #expect(goodput(found) == 1)
    }
}
