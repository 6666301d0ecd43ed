import PledgeServices
import PledgeSimulation

extension NamedScenario {
    private typealias MakeHedge = @Sendable (SimulatedWorld) -> HedgedReads.Part

    /// The effect and the cost of hedges, for requests that read 1,000 keys.
    static let hedgedReads = NamedScenario(
        name: "tail-hedge",
        summary:
            "The Tail at Scale: a hedge after 10 ms adds 2 % and cuts a tail of 1,800 ms to 74."
    ) { settings in
        let ways: [(String, MakeHedge)] = [
            ("no hedge", { _ in .passThrough }),
            (
                "after 10 ms",
                {
                    .hedge(
                        sharing: Hedge(
                            after: .milliseconds(10), maxExtraLoad: 0.05, on: $0.scheduler))
                }
            ),
            (
                "at the 95th percentile",
                { .hedge(sharing: Hedge(maxExtraLoad: 0.05, on: $0.scheduler)) }
            ),
            ("at the 99th, the default", { .hedge(sharing: Hedge(on: $0.scheduler)) }),
        ]
        var table = Table(
            "Requests that read 1,000 keys",
            columns: ["hedge"] + percentiles.map(label) + ["calls added"])
        var lines: [Chart.Line] = []
        settings.progress.begin(runs: ways.count)
        for (name, hedge) in ways {
            let reads = HedgedReads(
                requests: settings.choose(10_000, short: 20) + 100,
                reads: settings.choose(1_000, short: 100))
            let run = reads.run(settings, hedge)
            // A hedge after a percentile needs a few seconds to know the percentile, so the first ten aren't counted.
            let time = 10.0...run.duration
            let sent = run.amplification(in: 10..<run.duration.rounded(.down))
            let latencies = percentiles.map { run.latency($0, in: time) }
            table.add(
                [.text(name)] + latencies.map { .milliseconds($0) }
                    + [.share(sent / Double(reads.reads) - 1, digits: 2)])
            let points = zip(percentiles, latencies).map { (100 / (100 - $0), $1 ?? 0) }
            lines.append(Chart.Line(name: name, points: points))
        }
        let chart = chart(of: lines)
        return ScenarioResult(tables: [table], picture: { chart.svg })
    }

    private static let percentiles = [50.0, 90, 99, 99.9]

    private static func label(_ percentile: Double) -> String {
        percentile == 99.9 ? "p99.9" : "p\(Int(percentile))"
    }

    private static func chart(of lines: [Chart.Line]) -> Chart {
        Chart(
            title: "How long requests with 1,000 reads take, by their hedge",
            description:
                "Percentiles of the time of requests, on a logarithmic scale, for four hedges.",
            x: Chart.Axis(
                name: "percentile of the requests",
                marks: percentiles.map { (100 / (100 - $0), label($0)) }, scale: .logarithmic),
            y: Chart.Axis(
                name: "time of the request",
                marks: [(0.01, "10 ms"), (0.1, "100 ms"), (1, "1 s"), (10, "10 s")],
                scale: .logarithmic),
            lines: lines)
    }
}
