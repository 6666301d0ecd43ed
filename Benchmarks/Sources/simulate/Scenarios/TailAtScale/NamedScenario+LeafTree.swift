extension NamedScenario {
    /// The times at which one leaf, most leaves and all leaves of a tree of servers have finished.
    static let leafTree = NamedScenario(
        name: "tail-tree",
        summary:
            "The Tail at Scale, table 1: half of the 99th percentile is the slowest 5 % of leaves."
    ) { settings in
        settings.progress.begin(runs: 2)
        let requests = settings.choose(5_000, short: 30)
        let found = [true, false].map {
            LeafTree(hasSharedDelays: $0, requests: requests).figures(settings)
        }
        let ways = [
            ("published", LeafTree.published), ("with shared delays", found[0]),
            ("leaves alone", found[1]),
        ]
        var table = Table(
            "When the leaves of a request have finished",
            columns: ["", "", "median", "p95", "p99"])
        for (way, figures) in ways {
            for (part, times) in zip(LeafTree.parts, figures) {
                let digits = way == "published" ? 0 : 1
                table.add(
                    [.text(part), .text(way)] + times.map { .milliseconds($0, digits: digits) })
            }
        }
        let chart = chart(of: Array(ways.prefix(2)))
        return ScenarioResult(tables: [table], picture: { chart.svg })
    }

    private static func chart(of ways: [(name: String, figures: [[Double]])]) -> Chart {
        Chart(
            title: "When the leaves of a request have finished",
            description: """
                The median, the 95th and the 99th percentile of the times of one leaf, of 95 % of the leaves and of \
                all leaves: as published, and as simulated with delays that leaves share.
                """,
            x: Chart.Axis(
                name: "percentile of the requests",
                marks: [(2, "median"), (20, "p95"), (100, "p99")], scale: .logarithmic),
            y: Chart.Axis(
                name: "milliseconds",
                marks: [0, 40, 80, 120, 160].map { (Double($0) / 1_000, "\($0)") }),
            lines: ways.flatMap { way in
                zip(LeafTree.parts, way.figures).map { part, times in
                    Chart.Line(
                        name: "\(part), \(way.name)", points: Array(zip([2, 20, 100], times)))
                }
            })
    }
}
