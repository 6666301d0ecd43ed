import PledgeSimulation

extension NamedScenario {
    /// The load on a host when the clients that it has refused come back.
    static let retryAfter = NamedScenario(
        name: "retry-after",
        summary: "A thousand clients get the same Retry-After, and come back at the same time."
    ) { settings in
        let clients = settings.choose(1_000, short: 100)
        let times = settings.choose([1, 10, 60], short: [10])
        settings.progress.begin(runs: ReturnRule.all.count * times.count)
        var tables: [Table] = []
        var lines: [Chart.Line] = []
        for time in times {
            let herd = ReturningClients(clients: clients, retryAfter: .seconds(time))
            var table = Table(
                "\(clients) calls within 100 ms, to a host that answers a tenth of them in a second:"
                    + " Retry-After of \(time) s",
                columns: [
                    "clients come back", "most in 100 ms", "most in a second", "calls for each",
                    "answered", "the last after",
                ])
            for rule in ReturnRule.all {
                let found = herd.outcome(of: rule, settings)
                table.add(
                    .text(rule.name), .count(found.peak), .count(found.peakOfSecond),
                    .number(found.run.amplification, digits: 2),
                    .share(found.run.goodput), .text("\(Int(found.run.endTime.rounded())) s"))
                if time == 10 { lines.append(line(rule, found)) }
            }
            tables.append(table)
        }
        let chart = chart(lines, clients)
        return ScenarioResult(tables: tables, picture: { chart.svg })
    }

    private static func line(_ rule: ReturnRule, _ found: ReturningClients.Outcome) -> Chart.Line {
        Chart.Line(
            name: rule.name,
            points: found.counts.indices.prefix(450).map {
                (Double($0) / 10, Double(found.counts[$0]))
            })
    }

    private static func chart(_ lines: [Chart.Line], _ clients: Int) -> Chart {
        Chart(
            title: "Calls of \(clients) clients that got the same Retry-After of 10 s",
            description: "Calls in each tenth of a second; the host answers \(clients / 100).",
            x: Chart.Axis(
                name: "seconds",
                marks: stride(from: 0, through: 45, by: 5).map { (Double($0), "\($0)") }),
            y: Chart.Axis(
                name: "calls in 100 ms",
                marks: [1, 10, 100, 1_000].map { (Double($0), "\($0)") }, scale: .logarithmic),
            // The line of three tries is left out, because it begins like the line of twenty tries.
            lines: lines.filter { $0.name != "the same, three tries" })
    }
}
