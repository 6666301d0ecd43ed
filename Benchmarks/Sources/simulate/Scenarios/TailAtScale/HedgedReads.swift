import PledgeFutures
import PledgeServices
import PledgeSimulation

/// Requests that read keys from 100 servers through a hedge, and wait for all keys.
///
/// In a benchmark of BigTable, a hedge after 10 ms sends 2 % more requests, and the 99.9th percentile falls from 1,800
/// to 74 ms (Dean and Barroso, "The Tail at Scale", 2013).
struct HedgedReads {
    /// The time that a read takes: more than 10 ms in 2 % of reads, and more than 1,800 ms in one read of a million.
    ///
    /// So one in a thousand requests with 1,000 reads takes longer than 1,800 ms. These two published figures determine
    /// the Pareto tail. The third figure, 74 ms, is the result.
    private static let readTime = Distribution.pareto(
        minimum: .microseconds(1_286), shape: 1.907)
    private static let servers = 100

    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    /// The number of requests.
    let requests: Int
    /// The number of keys that a request reads.
    var reads = 1_000

    /// Runs the requests with a hedge, or with another policy around each read.
    func run(
        _ settings: ScenarioSettings, _ hedge: @escaping @Sendable (SimulatedWorld) -> Part
    ) -> SimulationRun {
        var server = HostSettings(serviceTime: Self.readTime)
        server.workers = .max
        let scenario = Scenario(
            hosts: Self.servers, each: server, arrivals: .even(rate: 10),
            duration: .milliseconds(100 * requests + 50))
        return settings.run(scenario) { world in
            let read = stack(hedge(world), over: world.fleet.send)
            return { request in
                Future.all(
                    (0..<reads).map { _ in
                        // Each read goes to the next server, and so does each hedge of a read.
                        read(SimulatedRequest(number: request.number))
                    })
            }
        }
    }
}
