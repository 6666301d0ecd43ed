import PledgeSimulation

extension NamedScenario {
    /// The recovery of a database from a short outage, by its clients' policies, its load, and its own settings.
    static let metastable = NamedScenario(
        name: "metastable",
        summary: "Metastable failures: clients that repeat each call once keep a database down."
    ) { settings in
        let loads = settings.choose([140, 160, 240, 260, 280], short: [280])
        let duration = settings.choose(900, short: 70)
        settings.progress.begin(
            runs: OutageRule.ofClients.count * loads.count + OutageRule.ofDatabases.count)
        var byLoad = Table(
            "Seconds until it has recovered, by the calls a second; it can do 300",
            columns: ["clients"] + loads.map { "\($0)" })
        var atFullLoad = columns("At 280 calls a second, by what the clients do", "clients")
        var lines: [Chart.Line] = []
        for rule in OutageRule.ofClients {
            let runs = loads.map { run(rule, at: $0, for: duration, settings) }
            byLoad.add([.text(rule.name)] + runs.map(recovery))
            atFullLoad.add([.text(rule.name)] + figures(of: runs[runs.count - 1]))
            lines.append(line(rule.name, of: runs[runs.count - 1]))
        }
        var byDatabase = columns(
            "At 280 calls a second and one retry, by what the database does", "database")
        for rule in OutageRule.ofDatabases {
            byDatabase.add(
                [.text(rule.name)] + figures(of: run(rule, at: 280, for: duration, settings)))
        }
        // The line of the default retry is left out, because it is nearly the same as the line of a budget of a fifth.
        let chart = chart(of: lines.filter { $0.name != "the default retry" })
        return ScenarioResult(
            tables: [byLoad, atFullLoad, byDatabase], picture: { chart.svg })
    }

    private static func line(_ name: String, of run: SimulationRun) -> Chart.Line {
        let points = stride(from: 0, to: min(run.duration, 600), by: 10).map { start in
            (x: start + 5, y: run.goodput(in: start...start + 10))
        }
        return Chart.Line(name: name, points: points)
    }

    private static func chart(of lines: [Chart.Line]) -> Chart {
        Chart(
            title: "Goodput of a database at 280 calls a second, after an outage from 30 to 40 s",
            description:
                "The share of calls that succeed, in each ten seconds, for six rules of clients.",
            x: Chart.Axis(
                name: "seconds",
                marks: [0, 100, 200, 300, 400, 500, 600].map { ($0, "\(Int($0))") }),
            y: .shares("calls that succeed"), lines: lines)
    }

    private static func run(
        _ rule: OutageRule, at load: Int, for duration: Int, _ settings: ScenarioSettings
    ) -> SimulationRun {
        var outage = rule.outage
        outage.rate = Double(load)
        outage.duration = duration
        return outage.run(settings)
    }

    private static func recovery(_ run: SimulationRun) -> Cell {
        run.timeToRecover.map { .number($0, digits: 0) } ?? "stays down"
    }

    private static func columns(_ title: String, _ name: String) -> Table {
        Table(
            title,
            columns: [
                name, "recovered", "before", "first minute", "last minute", "calls sent then",
            ])
    }

    private static func figures(of run: SimulationRun) -> [Cell] {
        let last = max(run.duration - 60, DatabaseOutage.end)
        let firstMinute = DatabaseOutage.end...min(DatabaseOutage.end + 60, run.duration)
        return [
            run.timeToRecover.map { .text("after \(Int($0)) s") } ?? "stays down",
            .share(run.goodput(in: 0...DatabaseOutage.end - 11)),
            .share(run.goodput(in: firstMinute)),
            .share(run.goodput(in: last...run.duration)),
            .number(
                run.amplification(in: last.rounded(.down)..<run.duration.rounded(.down) - 1),
                digits: 2),
        ]
    }
}
