extension NamedScenario {
    /// The costs and gains of retry rules, by the share of calls that fail.
    static let retryRules = NamedScenario(
        name: "retry-rules",
        summary: "Fixing retries: load and success by six rules, at failure rates from 0 to 100 %."
    ) { settings in
        let rates = settings.choose(
            [0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
            short: [0.01, 0.5, 1])
        let duration = settings.choose(120, short: 4)
        let columns = ["calls that fail"] + RetryRule.all.map(\.name)
        var loads = Table("Calls that the service gets for each that is made", columns: columns)
        var successes = Table("Share of calls that succeed", columns: columns)
        var lines = RetryRule.all.map { Chart.Line(name: $0.name, points: []) }
        settings.progress.begin(runs: rates.count * RetryRule.all.count)
        for rate in rates {
            let service = FailingService(failureRate: rate, duration: duration)
            let outcomes = RetryRule.all.map { service.outcome(of: $0, settings) }
            loads.add([.share(rate, digits: 0)] + outcomes.map { .number($0.load, digits: 3) })
            successes.add(
                [.share(rate, digits: 0)] + outcomes.map { .share($0.successRate, digits: 2) })
            for index in lines.indices { lines[index].points.append((rate, outcomes[index].load)) }
        }
        let chart = Chart(
            title: "Load by failure rate, for six rules of retries",
            description:
                "Calls that a service gets for each call that is made, over the share that fails.",
            x: .shares("calls that fail"),
            y: Chart.Axis(
                name: "calls sent for each",
                marks: [0, 1, 2, 3, 4].map { (Double($0), "\($0)") }),
            lines: lines)
        return ScenarioResult(tables: [loads, successes], picture: { chart.svg })
    }
}
