import Foundation
// snippet: imports
import Pledge
import PledgeTesting

// end snippet
// swift-format-ignore: OrderedImports
// snippet: simulating
import PledgeSimulation

// end snippet
// snippet: testing
import Testing

// end snippet

/// The code of README.md.
@Suite struct ReadmeExamples {
    // snippet: model
    struct Product: Codable, Sendable { var name: String }
    // end snippet

    @Test func firstProgram() async throws {
        let log = ExampleLog()
        func print(_ items: Any...) { log.add(items.map { "\($0)" }.joined(separator: " ")) }
        // snippet: program
        // A shop in memory, busy at first.
        let shop = MemoryTransport(routes: [
            .get("/products/:id", answer: .sequence([.status(503), .json(Product(name: "iPad"))]))
        ])

        let client = HTTPClient(base: URL(string: "https://shop.example")!, over: shop)
        let product: Product = try await client.get("/products/7")
        print(product.name, "after", shop.calls.count, "requests")
        // end snippet
        let readme = try Repository.this.check().documents["README.md"] ?? ""
        let isShown = readme.contains("```text\n\(log.lines.joined(separator: "\n"))\n```")
        #expect(isShown, "README.md does not show \(log.lines)")
    }

    // snippet: test
    @Test func repeatsACallToABusyShop() throws {
        let (shop, clock) = (MockNetwork(), ManualScheduler())
        var client = HTTPClient(base: URL(string: "https://shop.example")!, over: shop)
        client.scheduler = clock
        client.random = .constant(0)  // no jitter
        let product = client.futures.get("/products/7", as: Product.self)
        try shop.next().answer(with: .status(503, headers: ["Retry-After": "5"]))
        clock.advance(by: .seconds(5))  // takes no time
        try shop.next().answer(with: .json(Product(name: "iPad")))
        #expect(try product.settledValue().name == "iPad")
    }
    // end snippet

    @Test func aSimulationFindsWhatBreaksAClient() throws {
        // snippet: simulation
        func findFailure(attemptTimeout: Duration) -> SwarmResult {
            let host = HostSettings(serviceTime: .constant(.milliseconds(20)))
            let shop = Scenario(
                hosts: 3, each: host, arrivals: .poisson(rate: 30), duration: .seconds(20))
            return shop.swarm(seeds: 1...20, adding: RandomFaults()) { world in
                var client = HTTPClient(base: Fleet.base, over: world.fleet.send)
                client.scheduler = world.scheduler
                client.random = world.random
                client.attemptTimeout = attemptTimeout
                return { [client] _ in client.futures.send(Endpoint(path: "/products/7")) }
            } expecting: { run in
                let slowest = run.latency(100) ?? 0  // the 100th percentile, in seconds
                return slowest > 4 ? "a call takes \(slowest) s" : nil
            }
        }
        // end snippet
        let result = findFailure(attemptTimeout: .seconds(45))
        let readme = try Repository.this.check().documents["README.md"] ?? ""
        #expect(result.failure.map { readme.contains("\($0)") } == true, "\(result)")
        #expect(findFailure(attemptTimeout: .seconds(1)).failure == nil)
    }

    @Test func aNetworkIsAFunction() async throws {
        let shop = MemoryTransport(routes: [
            .get("/products/:id", answer: .json(Product(name: "iPad")))
        ])
        let client = HTTPClient(base: URL(string: "https://shop.example")!, over: shop)
        // snippet: chain
        let loadProduct = chain(
            Endpoint.product, to: client.networking, to: Future.decoded(as: Product.self))
        let product = try await loadProduct(7).value  // loadProduct: (Int) -> Future<Product>
        // end snippet
        #expect(product.name == "iPad")
        // snippet: policies
        let shared = stack(.coalesce(), .timeout(.seconds(2)), over: client.networking)
        let fake: Networking = { _ in Future(value: Data(#"{"name":"iPad"}"#.utf8)) }
        // end snippet
        #expect(try await shared(.product(withID: 7)).value == fake(.product(withID: 7)).value)
    }
}

// snippet: endpoint
extension Endpoint {
    static func product(withID id: Int) -> Endpoint { Endpoint(path: "/products/\(id)") }
}
// end snippet
