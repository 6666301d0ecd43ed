// snippet: foundation
import Foundation
// end snippet
// snippet: imports
import Pledge
// end snippet
// snippet: simulation
import PledgeSimulation
// end snippet
import TestSupport
// snippet: testing
import Testing

// end snippet

// snippet: client
/// The app's client.
///
/// The app passes a client of its server, a test one of a simulation.
func makeShop(
    from client: HTTPClient, scheduler: any FutureScheduler = .live, random: RandomSource = .system
) -> HTTPClient {
    var shop = client
    shop.scheduler = scheduler
    shop.random = random
    return shop
}
// end snippet

/// The code of Docs/Guides/ProveYourStack.md.
@Suite(.oneAtATime)
struct ProveYourStackExamples {
    // snippet: servers
    /// Three servers like the app's own: four calls at a time, some 20 ms each, far from what they can do.
    func servers() -> Scenario {
        var host = HostSettings(serviceTime: .logNormal(median: .milliseconds(20), sigma: 0.5))
        host.workers = 4
        host.queueLimit = 50
        host.latency = .constant(.milliseconds(5))
        return Scenario(
            hosts: 3, each: host, arrivals: .poisson(rate: 30), duration: .seconds(20))
    }
    // end snippet

    // snippet: service
    /// Makes the calls of a simulation through the app's client.
    func calls(
        in world: SimulatedWorld, _ change: (inout HTTPClient) -> Void
    ) -> Service<SimulatedRequest, Data> {
        var shop = makeShop(
            from: HTTPClient(base: Fleet.base, over: world.fleet.send),
            scheduler: world.scheduler, random: world.random)
        change(&shop)
        let networking = shop.networking
        return { call in networking(Endpoint(path: "/products/\(call.number)")) }
    }
    // end snippet

    // snippet: expectation
    /// What the app needs and has not got; nil if all is well.
    func complaint(about run: SimulationRun) -> String? {
        let slowest = run.latency(100) ?? 0
        if slowest > 4 { return "a call takes \(slowest) s" }
        if !run.recovers(within: .seconds(3)) { return "it has not recovered after 3 s" }
        return nil
    }
    // end snippet

    // snippet: swarm
    func prove(_ change: (inout HTTPClient) -> Void = { _ in }) -> SwarmResult {
        servers().swarm(seeds: 1...20, adding: RandomFaults()) { world in
            calls(in: world, change)
        } expecting: { run in
            complaint(about: run)
        }
    }
    // end snippet

    @Test func aSeedThatFailsAndItsCure() throws {
        let page = try RecipePage(path: "Docs/Guides/ProveYourStack.md")
        let lines = ExampleLog()
        let print: @Sendable (Any) -> Void = { lines.add("\($0)") }
        // snippet: found
        let result = prove()
        print(result)
        // end snippet
        page.expectOutput(lines)
        // snippet: picture
        func run(_ seed: UInt64, _ change: (inout HTTPClient) -> Void) -> SimulationRun? {
            var scenario = result.failure?.found.scenario
            scenario?.recordsPolicyEvents = true
            return scenario?.run(seed: seed) { world in calls(in: world, change) }
        }
        let seed = try #require(result.failure).seed
        let before = try #require(run(seed) { _ in })
        let after = try #require(run(seed) { $0.attemptTimeout = .seconds(1) })
        let picture = SimulationPicture(
            title: "Seed \(seed)",
            runs: [("as it is", before), ("with a timeout of a second", after)])
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("seed.svg")
        try Data(picture.svg.utf8).write(to: file)
        // end snippet
        try? FileManager.default.removeItem(at: file)
        try Picture.check(picture.svg, named: "prove-your-stack")
    }

    @Test func theCureAndTheTestThatStays() throws {
        let lines = ExampleLog()
        let print: @Sendable (Any) -> Void = { lines.add("\($0)") }
        // snippet: cure
        let cured = prove { $0.attemptTimeout = .seconds(1) }
        print(cured)
        // end snippet
        try RecipePage(path: "Docs/Guides/ProveYourStack.md").expectOutput(lines)
        // snippet: test
        #expect(cured.failure == nil)
        // end snippet
    }
}
