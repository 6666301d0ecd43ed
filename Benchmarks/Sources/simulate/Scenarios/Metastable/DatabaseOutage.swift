import PledgeServices
import PledgeSimulation

/// A database of 300 calls a second that stands still for ten seconds, with its callers.
///
/// (Bronson, Aghayev, Charapko and Zhu, "Metastable failures in distributed systems", HotOS 2021, section 2.1: queries
/// time out after a second, and one that fails is repeated once.)
struct DatabaseOutage {
    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    /// When the outage ends, in seconds; it begins ten seconds earlier.
    static let end = 40.0

    /// Calls a second, without those that are repeated.
    var rate = 280.0
    /// How long calls are made, in seconds.
    var duration = 900
    /// What is around the timeout of a second.
    var policies: @Sendable (SimulatedWorld) -> Part = { _ in .passThrough }
    /// What is beneath it.
    var innerPolicies: @Sendable (SimulatedWorld) -> Part = { _ in .passThrough }
    /// What is special about the database.
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
    /// How long after the outage all is well for good, in seconds: in any ten seconds at least 95 % of the calls succeed.
    ///
    /// Nil if it is not in the last ten seconds.
    var timeToRecover: Double? {
        var start = duration - 10
        guard goodput(in: start...duration) >= 0.95 else { return nil }
        while start - 1 >= DatabaseOutage.end, goodput(in: (start - 1)...(start + 9)) >= 0.95 {
            start -= 1
        }
        return start - DatabaseOutage.end
    }
}
