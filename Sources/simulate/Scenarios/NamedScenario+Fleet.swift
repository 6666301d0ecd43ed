import Services
import Simulation

extension NamedScenario {
    /// A fleet of which one host gets slow for a while, under the policies of the command line.
    static let fleet = NamedScenario(
        name: "fleet",
        summary: "One of five hosts gets ten times slower for half a minute; --policies, --hosts.",
        takesHosts: true, takesPolicies: true
    ) { settings in
        let count = settings.hosts ?? 5
        settings.progress.begin(runs: 1)
        let run = settings.run(fleet(of: count)) { world in
            settings.policies?.service(in: world) ?? world.fleet.send
        }
        return ScenarioResult(
            tables: [phases(of: run), hosts(of: run)], picture: { chart(of: run).svg })
    }

    /// Hosts with two workers each, 40 calls a second for each, and a slow host after half a minute.
    private static func fleet(of count: Int) -> Scenario {
        var host = HostSettings(serviceTime: .logNormal(median: .milliseconds(20), sigma: 0.5))
        host.workers = 2
        host.queueLimit = 100
        host.latency = .constant(.milliseconds(1))
        var scenario = Scenario(
            hosts: count, each: host, arrivals: .poisson(rate: 40 * Double(count)),
            duration: .seconds(90))
        scenario.at(.seconds(30)) { $0.host(0).slow(by: 10) }
        scenario.at(.seconds(60)) { $0.host(0).slow(by: 1) }
        return scenario
    }

    private static func phases(of run: SimulationRun) -> Table {
        var table = Table(
            "\(run.callCount) calls in 90 s",
            columns: ["", "goodput", "median", "p99", "p99.9", "calls sent for each"])
        for (name, time) in [("before", 0..<30), ("slow", 30..<60), ("after", 60..<90)] {
            let span = Double(time.lowerBound)...Double(time.upperBound)
            table.add(
                .text(name), .share(run.goodput(in: span)),
                .milliseconds(run.latency(50, in: span)),
                .milliseconds(run.latency(99, in: span)),
                .milliseconds(run.latency(99.9, in: span)),
                .number(run.amplification(in: time), digits: 3))
        }
        return table
    }

    private static func chart(of run: SimulationRun) -> Chart {
        let percentiles = [50.0, 99].map { percentile in
            let points = (0..<90).map { second in
                let time = Double(second)...Double(second) + 1
                return (x: Double(second) + 0.5, y: run.latency(percentile, in: time) ?? 10)
            }
            return Chart.Line(name: "\(percentile == 50 ? "median" : "p99")", points: points)
        }
        return Chart(
            title: "A slow host from 30 to 60 s",
            description: "The median and the 99th percentile of the calls of each second.",
            x: Chart.Axis(
                name: "seconds", marks: [0, 30, 60, 90].map { (Double($0), "\($0)") }),
            y: Chart.Axis(
                name: "latency",
                marks: [(0.01, "10 ms"), (0.1, "100 ms"), (1, "1 s"), (10, "10 s")],
                scale: .logarithmic),
            lines: percentiles)
    }

    /// The hosts, of which there may be many: the slow one, and the mean of the others.
    private static func hosts(of run: SimulationRun) -> Table {
        var table = Table("The hosts", columns: ["", "received", "refused", "finished", "wasted"])
        let slow = run.hosts[0]
        table.add(
            .text("the slow one"), .count(slow.received), .count(slow.refused),
            .count(slow.finished), .count(slow.wasted))
        let others = run.hosts.dropFirst()
        if others.isEmpty { return table }
        func mean(_ count: (SimulationRun.Host) -> Int) -> Cell {
            .number(Double(others.map(count).reduce(0, +)) / Double(others.count), digits: 0)
        }
        table.add(
            .text("each other"), mean(\.received), mean(\.refused), mean(\.finished),
            mean(\.wasted))
        return table
    }
}
