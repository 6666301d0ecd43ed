import PledgeFutures
import PledgeServices
import PledgeSimulation

/// A client, four services that each call the next, and a database whose calls fail for a while.
///
/// (Brooker, "Timeouts, retries, and backoff with jitter", the Amazon Builders' Library.)
struct LayeredServices {
    /// The number of layers that may repeat a call.
    static let layers = 5
    /// The number of the database among the hosts.
    private static let database = layers - 1

    /// The share of the database's calls that fail during the outage.
    var failureRate = 1.0
    /// Calls per second, at equal intervals.
    var rate = 20
    /// The seconds before the outage, and the seconds of the outage.
    var (before, outage) = (60, 180)

    /// The findings of a run.
    struct Outcome {
        let run: SimulationRun
        /// The calls to the database per call made, for each second.
        let loads: [Double]
    }

    /// Returns how many calls the database gets for a single call made during the outage.
    static func callsOfOne(_ rule: LayerRule, _ settings: ScenarioSettings) -> Int {
        let services = LayeredServices(rate: 1, before: 0, outage: 2)
        return services.outcome(of: rule, settings).run.hosts[database].received
    }

    func outcome(of rule: LayerRule, _ settings: ScenarioSettings) -> Outcome {
        let tally = CallTally()
        var scenario = Scenario(
            hosts: (1...Self.layers).map { host($0, rule, tally) },
            arrivals: .even(rate: Double(rate)), duration: .seconds(before + outage))
        scenario.at(.seconds(before)) { [failureRate] in
            $0.host(Self.database).settings.failureRate = failureRate
        }
        let run = settings.run(scenario) { world in
            let service = stack(rule.make(1, world), over: world.fleet.send)
            return { service(SimulatedRequest(number: $0.number, host: 0)) }
        }
        let counts = tally.all
        let loads = (0..<before + outage).map { second in
            second < counts.count ? Double(counts[second]) / Double(rate) : 0
        }
        return Outcome(run: run, loads: loads)
    }

    /// Returns the host below a layer: a service that calls the next one, or the database.
    private func host(_ layer: Int, _ rule: LayerRule, _ tally: CallTally) -> HostSettings {
        var host = HostSettings(serviceTime: .constant(.milliseconds(1)))
        host.workers = .max
        if layer == Self.layers { return host }
        host.calls { world in
            let service = stack(
                rule.make(layer + 1, world),
                over: { request in
                    if layer == Self.database { tally.add(at: world.scheduler.now) }
                    return world.fleet.send(request)
                })
            return { service(SimulatedRequest(number: $0.number, host: layer)) }
        }
        return host
    }
}
