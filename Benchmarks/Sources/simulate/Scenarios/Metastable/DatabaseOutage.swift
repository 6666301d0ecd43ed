import PledgeServices
import PledgeSimulation

/// A database that can handle 300 calls per second and stands still for ten seconds, with its callers.
///
/// Queries time out after a second, and a failed query is repeated once (Bronson, Aghayev, Charapko and Zhu,
/// "Metastable failures in distributed systems", HotOS 2021, section 2.1).
struct DatabaseOutage {
    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    /// The end of the outage, in seconds.
    ///
    /// It begins ten seconds earlier.
    static let end = 40.0

    /// Calls per second, without repeated ones.
    var rate = 280.0
    /// The time during which calls are made, in seconds.
    var duration = 900
    /// The policies around the timeout of one second.
    var policies: @Sendable (SimulatedWorld) -> Part = { _ in .passThrough }
    /// The policies below the timeout.
    var innerPolicies: @Sendable (SimulatedWorld) -> Part = { _ in .passThrough }
    /// Changes the settings of the database.
    var change: @Sendable (inout HostSettings) -> Void = { _ in }

    func run(_ settings: ScenarioSettings) -> SimulationRun {
        var database = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
        database.workers = 3
        change(&database)
        var scenario = Scenario(
            hosts: [database], arrivals: .poisson(rate: rate), duration: .seconds(duration))
        scenario.at(.seconds(Self.end - 10)) { $0.host(0).pause(for: .seconds(10)) }
        return settings.run(scenario) { world in
            stack(
                policies(world), .timeout(.seconds(1), on: world.scheduler), innerPolicies(world),
                over: world.fleet.send)
        }
    }
}

extension SimulationRun {
    /// The time from the end of the outage until all is well for good, in seconds.
    ///
    /// All is well if at least 95 % of the calls succeed in every stretch of ten seconds. Nil if fewer succeed in the
    /// last ten seconds.
    var timeToRecover: Double? {
        var start = duration - 10
        guard goodput(in: start...duration) >= 0.95 else { return nil }
        while start - 1 >= DatabaseOutage.end, goodput(in: (start - 1)...(start + 9)) >= 0.95 {
            start -= 1
        }
        return start - DatabaseOutage.end
    }
}
