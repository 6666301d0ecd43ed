// snippet: foundation
import Foundation
// end snippet
// snippet: imports
import Pledge
import PledgeSimulation
// end snippet
import TestSupport
// snippet: testing
import Testing

// end snippet

/// The code of Docs/Guides/Simulation.md.
@Suite(.oneAtATime)
struct SimulationExamples {
    // snippet: scenario
    /// Five hosts with two workers each, of which one is ten times slower for ten seconds.
    func scenario() -> Scenario {
        var host = HostSettings(serviceTime: .logNormal(median: .milliseconds(20), sigma: 0.5))
        host.workers = 2
        host.queueLimit = 100
        host.latency = .constant(.milliseconds(1))
        var scenario = Scenario(
            hosts: 5, each: host, arrivals: .poisson(rate: 200), duration: .seconds(30))
        scenario.at(.seconds(10), "host 3 gets slow") { $0.host(3).slow(by: 10) }
        scenario.at(.seconds(20), "host 3 as before") { $0.host(3).slow(by: 1) }
        return scenario
    }
    // end snippet

    // snippet: client
    /// The client that the app has, with the time and the chance of a simulation.
    func client(in world: SimulatedWorld, _ change: (inout HTTPClient) -> Void) -> HTTPClient {
        var client = HTTPClient(base: Fleet.base, over: world.fleet.send)
        client.scheduler = world.scheduler
        client.random = world.random
        change(&client)
        return client
    }
    // end snippet

    @Test func aSlowHost() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: run
        func tail(_ change: (inout HTTPClient) -> Void) -> String {
            let run = scenario().run(seed: 1) { world in
                let client = client(in: world, change)
                return { call in client.networking(Endpoint(path: "/products/\(call.number)")) }
            }
            let slow = run.latency(99, in: 10..<20) ?? .infinity
            return "\(Int(slow * 1_000)) ms, \(Int(run.amplification * 1_000 - 1_000)) ‰ more calls"
        }
        print("as it is: " + tail { _ in })
        print("with a timeout: " + tail { $0.attemptTimeout = .milliseconds(200) })
        let hedge = Hedge(after: .milliseconds(100), maxExtraLoad: 0.3)
        print("with a hedge: " + tail { $0.hedge = .perOrigin(hedge) })
        // end snippet
        try RecipePage(path: "Docs/Guides/Simulation.md").expectOutput(lines)
    }

    @Test func aSeedThatFails() {
        // snippet: expect
        let run = scenario().run(seed: 1) { world in
            let client = client(in: world) { $0.attemptTimeout = .milliseconds(200) }
            return { call in client.networking(Endpoint(path: "/products/\(call.number)")) }
        }
        #expect(run.error == nil)
        #expect(run.goodput(in: 10..<20) > 0.99)
        #expect(run.amplification < 1.2)
        #expect(run.recovers(within: .seconds(10)))
        // end snippet
    }

    // snippet: answers
    struct Price: Codable, Sendable {
        let cents: Int
    }

    /// Two hosts that requests name, with answers that the app decodes.
    func shop() -> Scenario {
        var catalogue = HostSettings(serviceTime: .exponential(mean: .milliseconds(20)))
        catalogue.name = "catalogue"
        catalogue.answer = { request in
            guard request.url.path == "/chair" else { return HTTPResponse(status: 404) }
            return HTTPResponse(status: 200, body: Data(#"{"cents":4200}"#.utf8))
        }
        var delivery = HostSettings(serviceTime: .exponential(mean: .milliseconds(30)))
        delivery.name = "delivery"
        delivery.failureRate = 0.2
        delivery.answer = { _ in HTTPResponse(status: 200, body: Data(#"{"cents":490}"#.utf8)) }
        return Scenario(
            hosts: [catalogue, delivery], arrivals: .poisson(rate: 10), duration: .seconds(30))
    }

    func networking(of host: String, in world: SimulatedWorld) -> Networking {
        let base = URL(string: "http://\(host).fleet.test")!
        var client = HTTPClient(base: base, over: world.fleet.send)
        client.scheduler = world.scheduler
        client.random = world.random
        return client.networking
    }
    // end snippet

    @Test func asyncFunctions() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: async
        /// The app's own function: it asks both hosts at once.
        @Sendable func total(
            of product: String, _ catalogue: @escaping Networking, _ delivery: @escaping Networking
        ) async throws -> Int {
            async let price = catalogue(Endpoint(path: product)).decoded(as: Price.self).value
            async let fee = delivery(Endpoint(path: product)).decoded(as: Price.self).value
            return try await price.cents + fee.cents
        }

        let run = shop().run(seed: 1) { world in
            let catalogue = networking(of: "catalogue", in: world)
            let delivery = networking(of: "delivery", in: world)
            return { _ in Future { try await total(of: "/chair", catalogue, delivery) } }
        }
        print("\(run.callCount) calls, goodput \(Int(run.goodput * 1_000)) ‰")
        print(run.error == nil ? "all of it in the simulation" : "\(run)")
        // end snippet
        try RecipePage(path: "Docs/Guides/Simulation.md").expectOutput(lines)
    }

    @Test func aSwarmOverSeeds() throws {
        let lines = ExampleLog()
        let print: @Sendable (Any) -> Void = { lines.add("\($0)") }
        // snippet: swarm
        var faults = RandomFaults()
        faults.kinds = [.stop, .slow, .failures]
        let shop = Scenario(
            hosts: 5, each: HostSettings(serviceTime: .exponential(mean: .milliseconds(20))),
            arrivals: .poisson(rate: 20), duration: .seconds(10))

        func swarm(_ change: (inout HTTPClient) -> Void) -> SwarmResult {
            shop.swarm(seeds: 1...30, adding: faults) { world in
                let client = client(in: world, change)
                return { call in client.networking(Endpoint(path: "/products/\(call.number)")) }
            } expecting: { run in
                run.recovers(within: .seconds(2)) ? nil : "it needs more than 2 s to recover"
            }
        }
        let strict = CircuitBreaker(
            failuresInARow: 5, lasting: .zero, successRate: 0.8,
            backoff: .equalJitter(base: .seconds(5), cap: .seconds(30)))
        print(swarm { $0.circuitBreaker = .perOrigin(strict) })
        print(swarm { $0.circuitBreaker = nil })
        // end snippet
        try RecipePage(path: "Docs/Guides/Simulation.md").expectOutput(lines)
    }

    @Test func aMetastableFailure() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: metastable
        var database = HostSettings(serviceTime: .exponential(mean: .milliseconds(50)))
        database.workers = 3
        var outage = Scenario(
            hosts: [database], arrivals: .poisson(rate: 42), duration: .seconds(300))
        outage.at(.seconds(30)) { $0.host(0).pause(for: .seconds(5)) }

        func goodput(with budget: @escaping (SimulatedWorld) -> RetryBudget) -> String {
            let run = outage.run { world in
                stack(
                    .retry(
                        Retry(attempts: 2, backoff: .constant(.zero)), budget: budget(world),
                        on: world.scheduler, random: world.random),
                    .timeout(.seconds(1), on: world.scheduler),
                    over: world.fleet.send)
            }
            let (before, after) = (run.goodput(in: 0..<29), run.goodput(in: 240..<300))
            return "\(Int(before * 100)) % before, \(Int(after * 100)) % four minutes later"
        }
        print("one retry each: " + goodput { _ in .unlimited })
        print("with a budget: " + goodput { _ in RetryBudget() })
        // end snippet
        try RecipePage(path: "Docs/Guides/Simulation.md").expectOutput(lines)
    }
}
