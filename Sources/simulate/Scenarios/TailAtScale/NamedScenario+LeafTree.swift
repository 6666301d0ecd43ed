extension NamedScenario {
    /// When one leaf, most leaves and all leaves of a tree of servers have finished.
    static let leafTree = NamedScenario(
        name: "tail-tree",
        summary:
            "The Tail at Scale, table 1: half of the 99th percentile is the slowest 5 % of leaves."
    ) { settings in
        let published: [(name: String, times: [Double])] = [
            ("one leaf", [0.001, 0.005, 0.010]), ("95 % of the leaves", [0.012, 0.032, 0.070]),
            ("all leaves", [0.040, 0.087, 0.140]),
        ]
        var table = Table(
            "When the leaves of a request have finished",
            columns: ["", "", "median", "p95", "p99"])
        for (name, times) in published {
            table.add([.text(name), "published"] + times.map { .milliseconds($0) })
        }
        settings.progress.begin(runs: 2)
        for hasSharedDelays in [true, false] {
            let requests = settings.choose(5_000, short: 30)
            let tree = LeafTree(hasSharedDelays: hasSharedDelays, requests: requests)
            let times = tree.times(settings)
            let found = [times.oneLeaf, times.mostLeaves, times.allLeaves]
            for ((name, _), times) in zip(published, found) {
                let figures = [50, 95, 99].map { FinishTimes.percentile($0, of: times) }
                table.add(
                    [.text(name), .text(hasSharedDelays ? "with shared delays" : "leaves alone")]
                        + figures.map { .milliseconds($0, digits: 1) })
            }
        }
        return ScenarioResult(tables: [table])
    }
}
