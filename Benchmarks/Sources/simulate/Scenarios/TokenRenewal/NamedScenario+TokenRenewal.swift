import PledgeSimulation

extension NamedScenario {
    /// The load on a token server, and the failures of clients, when all clients' tokens expire at the same time.
    static let tokenRenewal = NamedScenario(
        name: "token-renewal",
        summary: "A thousand clients renew a token at once, which the server does in five seconds."
    ) { settings in
        let herd = TokenHerd(clients: settings.choose(1_000, short: 20))
        settings.progress.begin(runs: RenewalRule.all.count)
        var table = Table(
            "\(herd.clients) clients whose tokens expire after 30 s, three calls a second each",
            columns: [
                "renewed", "most renewals in a second", "for each client", "in", "refused",
                "calls that fail", "p50", "p99", "p99.9",
            ])
        var lines: [Chart.Line] = []
        for rule in RenewalRule.all {
            let found = herd.outcome(of: rule, settings)
            let (time, server) = (TokenHerd.Outcome.herdTime, found.run.hosts[0])
            table.add(
                .text(rule.name), .count(found.renewals.max() ?? 0),
                .number(Double(found.renewalCount) / Double(herd.clients), digits: 2),
                .text("\(found.span) s"),
                .share(Double(server.refused) / Double(max(server.received, 1))),
                .share(1 - found.run.goodput(in: time), digits: 2),
                .milliseconds(found.run.latency(50, in: time)),
                .milliseconds(found.run.latency(99, in: time)),
                .milliseconds(found.run.latency(99.9, in: time)))
            lines.append(
                Chart.Line(
                    name: rule.name,
                    points: (10..<TokenHerd.duration).map { second in
                        (Double(second), Double(found.renewals.count(in: second)))
                    }))
        }
        let chart = chart(lines, herd.clients)
        return ScenarioResult(tables: [table], picture: { chart.svg })
    }

    private static func chart(_ lines: [Chart.Line], _ clients: Int) -> Chart {
        let marks = [0.01, 0.03, 0.1, 0.3, 1, 3].map { share in
            (share * Double(clients), "\(Int(share * Double(clients)))")
        }
        return Chart(
            title: "Calls to the server of the tokens, by when \(clients) clients renew theirs",
            description: "Calls in each second; it can answer \(clients / 5).",
            x: Chart.Axis(
                name: "seconds since the tokens were got",
                marks: stride(from: 10, through: 50, by: 5).map { (Double($0), "\($0)") }),
            y: Chart.Axis(name: "renewals in a second", marks: marks, scale: .logarithmic),
            lines: lines.filter { $0.name != "half of its lifetime before" })
    }
}

extension [Int] {
    /// Returns the number at an index, or 0 beyond the end.
    fileprivate func count(in second: Int) -> Int { second < count ? self[second] : 0 }
}
