import Services
import Simulation

extension NamedScenario {
    private typealias Hedge = @Sendable (SimulatedWorld) -> HedgedReads.Part

    /// What hedges do for requests that read 1,000 keys, and what they add.
    static let hedgedReads = NamedScenario(
        name: "tail-hedge",
        summary:
            "The Tail at Scale: a hedge after 10 ms adds 2 % and cuts a tail of 1,800 ms to 74."
    ) { settings in
        let ways: [(String, Hedge)] = [
            ("no hedge", { _ in .passThrough }),
            (
                "after 10 ms",
                { .hedge(after: .milliseconds(10), maxExtraLoad: 0.05, on: $0.scheduler) }
            ),
            ("at the 95th percentile", { .hedge(maxExtraLoad: 0.05, on: $0.scheduler) }),
            ("at the 99th, the default", { .hedge(on: $0.scheduler) }),
        ]
        var table = Table(
            "Requests that read 1,000 keys",
            columns: ["hedge", "median", "p99", "p99.9", "calls added"])
        settings.progress.begin(runs: ways.count)
        for (name, hedge) in ways {
            let reads = HedgedReads(requests: settings.choose(10_000, short: 20) + 100)
            let run = reads.run(settings, hedge)
            // A hedge at a percentile knows it after a few seconds.
            let time = 10.0...run.duration
            let sent = run.amplification(in: 10..<Int(run.duration))
            table.add(
                .text(name), .milliseconds(run.latency(50, in: time)),
                .milliseconds(run.latency(99, in: time)),
                .milliseconds(run.latency(99.9, in: time)), .share(sent / 1_000 - 1, digits: 2))
        }
        return ScenarioResult(tables: [table])
    }
}
