import PledgeFutures
import PledgeServices
import PledgeSimulation

/// Requests that read keys of 100 servers and wait for all, through a hedge.
///
/// (Dean and Barroso, "The Tail at Scale", 2013: in a benchmark of BigTable a hedge after 10 ms sends 2 % more requests,
/// and the 99.9th percentile falls from 1,800 to 74 ms.)
struct HedgedReads {
    /// How long a read takes: more than 10 ms in 2 % of reads, and more than 1,800 in one of a million, so that of a
    /// thousand requests with 1,000 reads one takes longer.
    ///
    /// Two of the published figures thus choose the tail, which is Pareto's. The third, 74 ms, is found.
    private static let readTime = Distribution.pareto(
        minimum: .microseconds(1_286), shape: 1.907)
    private static let servers = 100

    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    /// How many requests are made.
    let requests: Int
    /// How many keys each reads.
    var reads = 1_000

    /// Runs it with a hedge, or with something else around each read.
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
                        // The next server, for a read and for its hedge.
                        read(SimulatedRequest(number: request.number))
                    })
            }
        }
    }
}
