extension NamedScenario {
    /// The share of requests that wait for a slow server, by the number of servers and the share of slow calls.
    static let fanOut = NamedScenario(
        name: "tail-fan-out",
        summary:
            "The Tail at Scale: of 100 servers, each slow in 1 % of calls, 63 % of requests wait."
    ) { settings in
        let shares = [0.01, 0.001, 0.0001]
        let widths = [1, 10, 50, 100, 200, 500, 1_000, 2_000]
        var table = Table(
            "Share of requests that take more than a second",
            columns: ["servers"] + shares.flatMap { ["1 call in \(Int(1 / $0))", "computed"] })
        var lines = shares.map { Chart.Line(name: "1 call in \(Int(1 / $0)) is slow", points: []) }
        settings.progress.begin(runs: widths.count * shares.count)
        for width in widths {
            var cells: [Cell] = [.count(width)]
            for (index, share) in shares.enumerated() {
                let fewest = settings.choose(width > 100 ? 2_000 : 10_000, short: 10)
                let requests = max(settings.choose(400_000, short: 2_000) / width, fewest)
                let fanOut = FanOut(servers: width, slowShare: share, requests: requests)
                let found = fanOut.slowRequests(settings)
                cells += [.share(found, digits: 2), .share(fanOut.expected, digits: 2)]
                lines[index].points.append((Double(width), found))
            }
            table.add(cells)
        }
        let chart = Chart(
            title: "Requests that take more than a second, by the number of servers they wait for",
            description:
                "The share of slow requests over the number of servers, for three shares of slow calls.",
            x: Chart.Axis(
                name: "servers",
                marks: [1, 10, 100, 1_000, 2_000].map { ($0, "\(Int($0))") }, scale: .logarithmic),
            y: .shares("requests of more than a second"), lines: lines)
        return ScenarioResult(tables: [table], picture: { chart.svg })
    }
}
