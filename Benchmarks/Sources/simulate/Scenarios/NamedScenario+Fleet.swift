import PledgeServices
import PledgeSimulation

extension NamedScenario {
    /// A fleet with one host that becomes slow for a while, under the policies from the command line.
    static let fleet = NamedScenario(
        name: "fleet",
        summary: "One of five hosts gets ten times slower for half a minute; --policies, --hosts.",
        takesHosts: true, takesPolicies: true
    ) { settings in
        settings.progress.begin(runs: 1)
        let run = settings.run(fleet(of: settings.hosts ?? 5)) { world in
            settings.policies?.service(in: world) ?? world.fleet.send
        }
        let stack = settings.policies.map { "\($0)" } ?? "none"
        return ScenarioResult(
            run: run, picture: { run.picture(title: "A slow host; policies: \(stack)") })
    }

    /// Hosts with two workers and 40 calls per second each.
    ///
    /// After half a minute one host becomes slow.
    private static func fleet(of count: Int) -> Scenario {
        var host = HostSettings(serviceTime: .logNormal(median: .milliseconds(20), sigma: 0.5))
        host.workers = 2
        host.queueLimit = 100
        host.latency = .constant(.milliseconds(1))
        var scenario = Scenario(
            hosts: count, each: host, arrivals: .poisson(rate: 40 * Double(count)),
            duration: .seconds(90))
        scenario.at(.seconds(30), "host 0 gets slow") { $0.host(0).slow(by: 10) }
        scenario.at(.seconds(60), "host 0 as before") { $0.host(0).slow(by: 1) }
        scenario.recordsPolicyEvents = true
        return scenario
    }
}
