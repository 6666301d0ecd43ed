import PledgeSimulation

extension NamedScenario {
    /// The client as it is shipped, beside others, while some of five hosts are bad.
    static let shipped = NamedScenario(
        name: "shipped",
        summary:
            "The client with all its defaults, beside others, while some of five hosts are bad."
    ) { settings in
        let trials = settings.choose(ShippedTrial.all, short: Array(ShippedTrial.all.prefix(1)))
        settings.progress.begin(runs: trials.count * ShippedVariant.all.count)
        return ScenarioResult(
            tables: trials.map { $0.table(settings) }, picture: { ShippedTrial.chart(settings).svg }
        )
    }
}

extension ShippedTrial {
    /// Every fault at a rate that fills the hosts by a third, and the worst of them at other rates.
    static let all: [ShippedTrial] =
        Fault.allCases.flatMap { fault in
            [1, 2, 3, 5].map { ShippedTrial(fault: fault, bad: $0, rate: 220) }
        }
        + [Fault.losesMessages, .asksForWait].flatMap { fault in
            [5.0, 50, 400].flatMap { rate in
                [1, 2].map { ShippedTrial(fault: fault, bad: $0, rate: rate) }
            }
        }
        + [1, 2].map { ShippedTrial(fault: .losesMessages, bad: $0, rate: 220, clients: 50) }

    var name: String {
        let hosts = bad == 5 ? "all hosts" : "\(bad) of 5 hosts"
        let many = clients == 1 ? "" : ", \(clients) clients"
        return "\(Int(rate)) calls a second\(many); of each of \(hosts): \(fault.rawValue)"
    }

    fileprivate func table(_ settings: ScenarioSettings) -> Table {
        var table = Table(
            name,
            columns: ["client"] + Self.limits.map { "within \($0.formatted()) s" }
                + ["sent", "recovery"])
        for variant in ShippedVariant.all {
            let found = outcome(of: variant, settings)
            table.add(
                [.text(variant.name)] + found.within.map { .share($0) }
                    + [.number(found.sent, digits: 2), .text("\(found.recovery) s")])
        }
        return table
    }
}

extension Double {
    /// The number without a decimal if it is whole.
    fileprivate func formatted() -> String {
        self == rounded() ? "\(Int(self))" : "\(self)"
    }
}

extension ShippedTrial {
    /// Draws the calls that succeed within a second, over the seconds of a trial in which one host hangs.
    fileprivate static func chart(_ settings: ScenarioSettings) -> Chart {
        let trial = ShippedTrial(fault: .losesMessages, bad: 1, rate: 220)
        let lines = ShippedVariant.all.map { variant in
            Chart.Line(
                name: variant.name,
                points: zip(limits, trial.outcome(of: variant, settings).within).map { ($0, $1) })
        }
        return Chart(
            title: "Calls that succeed while one of five hosts loses all messages",
            description: "The share of all calls that succeed, over the time within which they do.",
            x: Chart.Axis(
                name: "seconds", marks: limits.map { ($0, $0.formatted()) }, scale: .logarithmic),
            y: .shares("calls that succeed"), lines: lines)
    }
}
