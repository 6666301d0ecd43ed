import PledgeSimulation

extension NamedScenario {
    /// The answers that an overloaded host gives in time, by the order of its queue.
    static let queueOrder = NamedScenario(
        name: "queue-order",
        summary: "Fail at Scale: in overload, the call that came last is the one to begin first."
    ) { settings in
        let loads = settings.choose([0.5, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2], short: [0.8, 1.2])
        let duration = settings.choose(400, short: 24)
        let columns = ["load"] + WaitingOrder.all.map(\.name)
        var goodput = Table("Answers in time, for each call that the host can do", columns: columns)
        var tails = Table("99th percentile of the answers in time", columns: columns)
        var lines = WaitingOrder.all.map { Chart.Line(name: $0.name, points: []) }
        settings.progress.begin(runs: loads.count * WaitingOrder.all.count)
        for load in loads {
            let host = OverloadedHost(load: load, duration: duration)
            let runs = WaitingOrder.all.map { host.run($0, settings) }
            let shares = runs.map { $0.goodput(in: host.countedTime) * load }
            goodput.add([.number(load, digits: 1)] + shares.map { .share($0) })
            tails.add(
                [.number(load, digits: 1)]
                    + runs.map { .milliseconds($0.latency(99, in: host.countedTime)) })
            for index in lines.indices { lines[index].points.append((load, shares[index])) }
        }
        // These two lines are left out, because they can't be told from the line of "last in, first out".
        lines.removeAll { ["adaptive", "last, knows deadlines"].contains($0.name) }
        let chart = Chart(
            title: "What a host does in time, by the order of its queue",
            description:
                "Answers within a second, for each call that the host can do, over the load.",
            x: Chart.Axis(
                name: "calls for each that the host can do",
                marks: [0.5, 0.8, 1, 1.2, 1.5, 2].map { ($0, "\($0)") }),
            y: .shares("answers in time"), lines: lines)
        return ScenarioResult(tables: [goodput, tails], picture: { chart.svg })
    }
}
