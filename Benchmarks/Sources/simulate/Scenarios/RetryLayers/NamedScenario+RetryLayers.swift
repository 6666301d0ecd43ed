import PledgeSimulation

extension NamedScenario {
    /// The calls to a database per call made, by the layers of services that repeat calls.
    static let retryLayers = NamedScenario(
        name: "retry-layers",
        summary: "Retries in five layers of services: 243 calls at the database for each."
    ) { settings in
        let services = LayeredServices(
            rate: settings.choose(20, short: 5), before: settings.choose(60, short: 6),
            outage: settings.choose(180, short: 3))
        settings.progress.begin(runs: LayerRule.all.count * 3)
        var failing = Table(
            "Calls that the database gets for each, while all its calls fail",
            columns: ["retries", "one call alone", "most in a second", "mean"])
        var partial = services
        partial.failureRate = 0.3
        var failingSome = Table(
            "While three of ten fail",
            columns: ["retries", "calls that succeed", "calls at the database for each"])
        var lines: [Chart.Line] = []
        for rule in LayerRule.all {
            let outcome = services.outcome(of: rule, settings)
            failing.add(
                .text(rule.name), .count(LayeredServices.callsOfOne(rule, settings)),
                .number(services.peak(outcome), digits: 2),
                .number(services.load(outcome), digits: 2))
            let some = partial.outcome(of: rule, settings)
            failingSome.add(
                .text(rule.name), .share(services.goodput(some), digits: 1),
                .number(services.load(some), digits: 2))
            lines.append(services.line(rule, outcome))
        }
        let chart = services.chart(lines)
        return ScenarioResult(tables: [failing, failingSome], picture: { chart.svg })
    }
}

extension LayeredServices {
    /// Calls to the database per call made, over the whole outage.
    func load(_ outcome: Outcome) -> Double {
        outcome.loads[before...].reduce(0, +) / Double(outage)
    }

    /// Calls to the database per call made, in the worst second of the outage.
    func peak(_ outcome: Outcome) -> Double { outcome.loads[before...].max() ?? 0 }

    /// The share of the outage's calls that succeed.
    func goodput(_ outcome: Outcome) -> Double {
        outcome.run.goodput(in: Double(before)...Double(before + outage))
    }

    /// Returns the load from ten seconds before the outage on.
    fileprivate func line(_ rule: LayerRule, _ outcome: Outcome) -> Chart.Line {
        let seconds = max(before - 10, 0)..<before + outage
        return Chart.Line(
            name: rule.name, points: seconds.map { (Double($0 - before), outcome.loads[$0]) })
    }

    fileprivate func chart(_ lines: [Chart.Line]) -> Chart {
        // These rules are left out, because their lines are the same as those of others.
        let left = ["no retry", "three tries above the database", "three tries at the top"]
        let times = [-min(before, 10)] + stride(from: 0, through: outage, by: max(outage / 6, 1))
        return Chart(
            title: "Calls at a database that fails, by the retries of five layers",
            description: "Calls that the database gets for each call of the client, over time.",
            x: Chart.Axis(
                name: "seconds since the database fails",
                marks: times.map { (Double($0), "\($0)") }),
            y: Chart.Axis(
                name: "calls at the database for each",
                marks: [1, 3, 9, 27, 81, 243].map { (Double($0), "\($0)") }, scale: .logarithmic),
            lines: lines.filter { !left.contains($0.name) })
    }
}
