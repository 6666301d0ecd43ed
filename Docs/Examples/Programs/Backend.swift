// snippet: backend
import Pledge
import PledgeSimulation

struct Items: Codable, Sendable { var items: [String] }

struct Home: Sendable {
    var profile: Items
    var orders: Items
    var recommended: Items
    var stock: Items
    var ads: Items
}

struct Backend: Sendable {
    var client: HTTPClient

    init(over client: HTTPClient) {
        self.client = client
        self.client.attemptTimeout = .milliseconds(400)
        self.client.retry = .init(attempts: 2)
        self.client.hedge = .perOrigin(Hedge(after: .milliseconds(100), maxExtraLoad: 0.1))
        self.client.circuitBreaker = .perOrigin(CircuitBreaker(failuresInARow: 5, lasting: .zero))
        self.client.bulkhead = .perOrigin(
            Bulkhead(limit: 32, queue: 8, queueTimeout: .milliseconds(100)))
    }

    /// The home screen of a user: without a profile it fails, without another part it is shorter.
    var home: Service<Int, Home> {
        let profile = part("profile")
        let orders = stack(.fallback(Items(items: [])), over: part("orders"))
        let recommended = stack(.fallback(Items(items: ["bestseller"])), over: part("recommended"))
        let stock = stack(.fallback(Items(items: [])), over: part("stock"))
        let ads = stack(.fallback(Items(items: [])), over: part("ads"))
        return stack(
            .deadline(.seconds(1), on: client.scheduler),
            over: { id in
                zip(profile(id), orders(id), recommended(id), stock(id), ads(id)).map {
                    Home(profile: $0, orders: $1, recommended: $2, stock: $3, ads: $4)
                }
            })
    }

    private func part(_ name: String) -> Service<Int, Items> {
        let client = client, base = URL(string: "http://\(name).internal")!
        return { client.futures.send(Endpoint(path: "/users/\($0)", base: base), as: Items.self) }
    }
}

/// A minute of 50 home screens a second; from 20 s to 40 s `recommended` is 100 times slower.
func simulate(_ change: (inout HTTPClient) -> Void = { _ in }) -> SimulationRun {
    let hosts = ["profile", "orders", "recommended", "stock", "ads"].map { name in
        var host = HostSettings(serviceTime: .logNormal(median: .milliseconds(10), sigma: 0.5))
        host.name = "\(name).internal"
        host.workers = 16
        host.answer = { _ in HTTPResponse(status: 200, body: Data(#"{"items":["x"]}"#.utf8)) }
        return host
    }
    var scenario = Scenario(hosts: hosts, arrivals: .poisson(rate: 50), duration: .seconds(60))
    scenario.add(.slow(host: 2, by: 100, from: .seconds(20), to: .seconds(40)))
    return scenario.run { world in
        var backend = Backend(over: HTTPClient(base: nil, over: world.fleet.send))
        backend.client.scheduler = world.scheduler
        backend.client.random = world.random
        change(&backend.client)
        let home = backend.home
        return { call in home(call.number) }
    }
}
// end snippet

/// Prints what the page shows, with another `print`.
func proveBackend(_ print: (String) -> Void) {
    // snippet: backend-start
    for (name, run) in [
        ("all policies", simulate()), ("no hedge", simulate { $0.hedge = nil }),
        ("no breaker", simulate { $0.circuitBreaker = nil }),
    ] {
        let ms = [50, 99, 99.9].map { Int((run.latency($0, in: 20..<40) ?? 0) * 1_000) }
        let recovers = run.recovers(within: .seconds(3))
        print("\(name): goodput \(run.goodput), \(ms) ms, recovers: \(recovers)")
    }
    // end snippet
}
