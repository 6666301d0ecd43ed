/// A picture's content: panels with lines, and rows of states.
struct PanelPlan {
    struct Panel {
        let title: String
        let scale: ValueScale.Kind
        /// The height, relative to the other panels.
        let weight: Double
        var lines: [Line] = []
    }

    /// Values over time; nil leaves a gap.
    struct Line {
        /// Shown in the panel's title, if the panel has several lines.
        var name: String?
        let look: PictureLook
        let points: [(time: Double, value: Double?)]
    }

    struct StateRow {
        let title: String
        let states: [(time: Double, state: String)]
        let end: Double
    }

    static let mostGauges = 3
    static let mostStateRows = 4

    private(set) var panels: [Panel] = []
    private(set) var stateRows: [StateRow] = []
    /// What the picture leaves out: the kind of thing, and a sentence about it.
    private(set) var notes: [(kind: String, text: String)] = []
}

extension PanelPlan {
    init(of run: SimulationRun) {
        let source = PanelSource(run)
        panels = [
            Panel(
                title: "calls a second", scale: .linear, weight: 3,
                lines: [
                    source.line("offered", .neutral) { $0.rate(of: $0.offered) },
                    source.line("succeeded", .line(0)) { $0.rate(of: $0.succeeded) },
                ]),
            Panel(
                title: "calls sent for each call", scale: .linear, weight: 2,
                lines: [source.line(nil, .line(0)) { $0.amplification }]),
            Panel(
                title: "latency", scale: .logarithmic, weight: 3,
                lines: [
                    source.line("median", .line(0), \.p50),
                    source.line("99th percentile", .line(1), \.p99),
                ]),
        ]
        let actions = source.actionLines
        if !actions.isEmpty {
            panels.append(
                Panel(
                    title: "what policies do, a second", scale: .linear, weight: 2, lines: actions))
        }
        addGauges(of: [(nil, run)])
        addStates(of: [(nil, run)])
    }
}

extension PanelPlan {
    /// A line for each run.
    init(comparing runs: [(name: String, run: SimulationRun)]) {
        let sources = runs.map { PanelSource($0.run) }
        func panel(
            _ title: String, _ scale: ValueScale.Kind, _ weight: Double,
            _ value: (SimulationRun.Interval) -> Double?
        ) -> Panel {
            Panel(
                title: title, scale: scale, weight: weight,
                lines: sources.enumerated().map { $1.line(nil, .line($0), value) })
        }
        var load = panel("calls a second that succeed", .linear, 3) { $0.rate(of: $0.succeeded) }
        if runs.allSatisfy({ $0.run.begins == runs[0].run.begins }) {
            let offered = sources[0].line("offered", .neutral) { $0.rate(of: $0.offered) }
            load.lines.insert(offered, at: 0)
        }
        panels = [
            load, panel("calls sent for each call", .linear, 2) { $0.amplification },
            panel("median latency", .logarithmic, 2, \.p50),
            panel("99th percentile of latency", .logarithmic, 2, \.p99),
        ]
        let named = runs.map { (Optional($0.name), $0.run) }
        addGauges(of: named)
        addStates(of: named)
    }
}

extension PanelPlan {
    private mutating func addGauges(of runs: [(name: String?, run: SimulationRun)]) {
        var names: [String] = []
        for (_, run) in runs {
            for gauge in run.gauges where !names.contains(gauge.name) { names.append(gauge.name) }
        }
        for name in names.prefix(Self.mostGauges) {
            let lines = runs.enumerated().compactMap { index, run in
                run.run.gauges.first { $0.name == name }.map { gauge in
                    Line(look: .line(index), points: gauge.points)
                }
            }
            panels.append(Panel(title: name, scale: .linear, weight: 1.5, lines: lines))
        }
        noteRest(of: names, after: Self.mostGauges, "gauges")
    }

    private mutating func addStates(of runs: [(name: String?, run: SimulationRun)]) {
        var rows: [StateRow] = []
        for (name, run) in runs {
            for policy in run.policies where !policy.stateChanges.isEmpty {
                let title = (name.map { "\($0): " } ?? "") + policy.title
                rows.append(StateRow(title: title, states: policy.states, end: run.duration))
            }
        }
        stateRows = Array(rows.prefix(Self.mostStateRows))
        noteRest(of: rows.map(\.title), after: Self.mostStateRows, "policies with states")
    }

    private mutating func noteRest(of names: [String], after most: Int, _ kind: String) {
        if names.count <= most { return }
        let rest = names.dropFirst(most).joined(separator: ", ")
        notes.append(("More \(kind)", "Not drawn: \(kind) \(rest)."))
    }
}

/// One run's values, as lines for panels.
struct PanelSource {
    /// The most points in a line.
    private static let mostPoints = 400

    private let run: SimulationRun
    private let intervals: [SimulationRun.Interval]
    private let step: Int

    init(_ run: SimulationRun) {
        self.run = run
        step = max(1, Int((run.duration / Double(Self.mostPoints)).rounded(.up)))
        intervals = run.series(every: step)
    }

    /// A line with a value at each interval's middle.
    func line(
        _ name: String?, _ look: PictureLook, _ value: (SimulationRun.Interval) -> Double?
    ) -> PanelPlan.Line {
        PanelPlan.Line(
            name: name, look: look,
            points: intervals.map { (($0.start + $0.end) / 2, value($0)) })
    }

    /// Retries, withheld retries, refusals, hedges and timeouts, each only if it happened.
    var actionLines: [PanelPlan.Line] {
        let kinds: [(name: String, prefix: String)] = [
            ("retries", "retrying"), ("withheld retries", "retry_withheld"),
            ("refusals", "refused"), ("hedges", "hedged"), ("timeouts", "timed_out"),
        ]
        let present = kinds.filter { kind in
            run.policies.contains { $0.actions.contains { $0.action.hasPrefix(kind.prefix) } }
        }
        return present.enumerated().map { index, kind in
            line(kind.name, .line(index)) { interval in
                interval.rate(of: count(of: kind.prefix, in: interval))
            }
        }
    }

    private func count(of prefix: String, in interval: SimulationRun.Interval) -> Int {
        let seconds = Int(interval.start)..<(Int(interval.start) + step)
        var count = 0
        for policy in run.policies {
            for (action, _) in policy.actions where action.hasPrefix(prefix) {
                count += policy.count(of: action, in: seconds)
            }
        }
        return count
    }
}

extension SimulationRun.Interval {
    /// Per second.
    func rate(of count: Int) -> Double { length > 0 ? Double(count) / length : 0 }
}

extension SimulationRun.Gauge {
    /// At most 400 values, thinned out evenly.
    var points: [(time: Double, value: Double?)] {
        let step = values.count / 400 + 1
        return stride(from: 0, to: values.count, by: step).map { index in
            (Double(firstSecond + index), values[index].isFinite ? values[index] : nil)
        }
    }
}
