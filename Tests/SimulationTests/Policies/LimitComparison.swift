import PledgeFutures
import PledgeServices
import PledgeSimulation

/// What limits of the calls in flight do for one host, in some scenarios.
///
/// Each limit is outside a timeout of a second, and the host goes on with calls that have timed out.
struct LimitComparison {
    /// A limit, by its name in the table.
    struct Row: Sendable {
        let name: String
        let make: @Sendable (SimulatedWorld) -> Limit
    }

    /// A middleware, and the limit that it has now.
    struct Limit: Sendable {
        let middleware: Middleware<SimulatedRequest, SimulatedResponse>
        var limit: @Sendable () -> Int = { 0 }
    }

    /// A scenario, and when it is looked at, in seconds.
    struct Column: Sendable {
        let scenario: Scenario
        let times: [ClosedRange<Double>]
    }

    static let rows = [
        Row(name: "none") { _ in Limit(middleware: .passThrough) },
        Row(name: "`Bulkhead(limit: 8)`") { _ in
            Limit(middleware: .bulkhead(sharing: Bulkhead(limit: 8))) { 8 }
        },
        Row("`.aimd()`", .aimd()), Row("`.vegas()`", .vegas()), Row("`.gradient()`", .gradient()),
        Row("`.gradient()`, no queue", .gradient(), queue: 0),
        Row("`.correlation()`", .correlation()),
    ]

    /// Service times of 20 ms on average: four workers do 200 calls a second.
    private static func host(workers: Int = 4) -> HostSettings {
        var host = HostSettings(serviceTime: .exponential(mean: .milliseconds(20)))
        host.workers = workers
        return host
    }

    private static func load(_ rate: Double, seconds: Int, workers: Int = 4) -> Scenario {
        Scenario(
            hosts: [host(workers: workers)], arrivals: .poisson(rate: rate),
            duration: .seconds(seconds))
    }

    /// A minute of 240 calls a second, and one of 100.
    static let overload = Column(
        scenario: Scenario(
            hosts: [host()], arrivals: .poisson([(.seconds(60), 240), (.seconds(120), 100)]),
            duration: .seconds(120)),
        times: [10...60, 70...120])

    /// 100 calls a second to a host that gets four times slower after a minute, so that it does 50.
    static var slowHost: Column {
        var scenario = load(100, seconds: 120)
        scenario.at(.seconds(60)) { $0.host(0).slow(by: 4) }
        return Column(scenario: scenario, times: [70...120])
    }

    static let steadyLoad = Column(scenario: load(160, seconds: 180), times: [10...180])
    static let largeHost = Column(
        scenario: load(3_840, seconds: 60, workers: 64), times: [30...60])
    static let longOverload = Column(scenario: load(240, seconds: 600), times: [540...600])

    /// Runs a scenario with a limit.
    ///
    /// - Returns: What happened, and the limit at the end of each second.
    static func run(
        _ scenario: Scenario, _ row: Row, seed: UInt64
    ) -> (run: SimulationRun, limits: [Int]) {
        let limits = Locked<[Int]>([])
        let run = scenario.run(seed: seed) { world in
            let limit = row.make(world)
            for second in 1...Int(scenario.duration.components.seconds) {
                world.scheduler.schedule(after: .seconds(second)) {
                    limits.withLock { $0.append(limit.limit()) }
                }
            }
            return stack(
                limit.middleware, .timeout(.seconds(1), on: world.scheduler),
                over: world.fleet.send)
        }
        return (run, limits.withLock { $0 })
    }
}

extension LimitComparison.Row {
    init(_ name: String, _ algorithm: ConcurrencyLimitAlgorithm, queue: Int = 10) {
        self.init(name: name) { world in
            let limit = AdaptiveConcurrency(
                algorithm: algorithm, queue: queue, on: world.scheduler, random: world.random)
            return LimitComparison.Limit(middleware: .adaptiveConcurrency(sharing: limit)) {
                limit.limit
            }
        }
    }
}
