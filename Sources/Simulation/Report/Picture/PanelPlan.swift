/// What a picture shows: panels with lines, and rows of states.
struct PanelPlan {
    /// A diagram of values over time.
    struct Panel {
        let title: String
        let scale: ValueScale.Kind
        /// How high it is, compared with the others.
        let weight: Double
        var lines: [Line] = []
    }

    /// Values over time; nil where there is none.
    struct Line {
        /// Its name in the panel's title, if the panel has several.
        var name: String?
        let look: PictureLook
        let points: [(time: Double, value: Double?)]
    }

    /// The states of a policy over time.
    struct StateRow {
        let title: String
        let states: [(time: Double, state: String)]
        let end: Double
    }

    static let mostGauges = 3
    static let mostStateRows = 4

    private(set) var panels: [Panel] = []
    private(set) var stateRows: [StateRow] = []
    /// What is left out: its kind, and all in words.
    private(set) var notes: [(kind: String, text: String)] = []
}

// MARK: - One run

extension PanelPlan {
    /// The panels of one run.
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

// MARK: - Several runs

extension PanelPlan {
    /// The panels of several runs, with a line for each.
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

// MARK: - Gauges and states

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
