import PledgeSimulation

extension NamedScenario {
    /// The client as it is shipped, beside others, while some of five hosts are bad.
    static let shipped = NamedScenario(
        name: "shipped",
        summary:
            "The client with all its defaults, beside others, while some of five hosts are bad."
    ) { settings in
        let shown = settings.choose(ShippedTrial.shown, short: Array(ShippedTrial.shown.prefix(1)))
        let others = settings.choose(ShippedTrial.others, short: [])
        settings.progress.begin(
            runs: shown.count * ShippedVariant.all.count + others.count * 2)
        var tables = shown.map { $0.table(settings) }
        if !others.isEmpty { tables.append(ShippedTrial.differences(others, settings)) }
        return ScenarioResult(
            tables: tables, picture: { ShippedTrial.chart(settings).svg })
    }
}

extension ShippedTrial {
    /// The trials with a table of their own: every fault at a rate that fills the hosts by a third.
    static let shown = Fault.allCases.flatMap { fault in
        [1, 2, 3, 5].map { ShippedTrial(fault: fault, bad: $0, rate: 220) }
    }

    /// Every fault of fewer than half of the hosts at other rates, from 50 clients, and over eight connections.
    static let others = Fault.allCases.flatMap { fault in
        [1, 2].flatMap { bad in
            [5.0, 50, 400].map { ShippedTrial(fault: fault, bad: bad, rate: $0) }
                + [
                    ShippedTrial(fault: fault, bad: bad, rate: 220, clients: 50),
                    ShippedTrial(fault: fault, bad: bad, rate: 220, connections: 8),
                    ShippedTrial(fault: fault, bad: bad, rate: 5, connections: 8),
                ]
        }
    }

    static let all = shown + others

    var name: String {
        let hosts = bad == 5 ? "all 5 hosts" : "\(bad) of 5 hosts"
        return "\(Int(rate)) calls a second\(way); each of \(hosts) \(fault.rawValue)"
    }

    /// How the calls are made; empty for one client without a limit on connections.
    private var way: String {
        (clients == 1 ? "" : ", \(clients) clients")
            + (connections.map { ", \($0) connections" } ?? "")
    }

    /// Returns how many more calls succeed in each time than without policies, in points, with a row for each trial.
    fileprivate static func differences(
        _ trials: [ShippedTrial], _ settings: ScenarioSettings
    ) -> Table {
        var table = Table(
            "As shipped, minus no policies, in percentage points",
            columns: ["trial"] + limits.map { "within \($0.formatted()) s" })
        for trial in trials {
            let shipped = trial.outcome(of: .shipped, settings).within
            let plain = trial.outcome(of: .withoutPolicies, settings).within
            table.add(
                [.text(trial.name)]
                    + zip(shipped, plain).map { .number(($0 - $1) * 100, digits: 1) })
        }
        return table
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
