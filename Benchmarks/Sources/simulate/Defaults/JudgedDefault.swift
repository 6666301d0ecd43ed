import PledgeServices
import PledgeSimulation

/// A default with its alternatives, and the figures that compare them.
struct JudgedDefault: Sendable {
    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    /// Trials, each with its relevant figures.
    typealias Rows = [(trial: Trial, measures: [Measure])]

    /// A value to try.
    struct Value: Sendable {
        let name: String
        /// Creates the stack of one client.
        let make: @Sendable (SimulatedWorld) -> Part

        init(_ name: String, _ make: @escaping @Sendable (SimulatedWorld) -> Part) {
            self.name = name
            self.make = make
        }
    }

    /// A figure of a trial.
    struct Figure: Sendable {
        let trial: Trial
        let measure: Measure
    }

    let title: String
    /// The library's default, created without naming the value.
    let standard: Value
    let alternatives: [Value]
    let figures: [Figure]

    init(_ title: String, standard: Value, alternatives: [Value], _ rows: Rows) {
        self.title = title
        self.standard = standard
        self.alternatives = alternatives
        figures = rows.flatMap { trial, measures in
            measures.map { Figure(trial: trial, measure: $0) }
        }
    }
}

extension JudgedDefault {
    /// Repeats the rows for several numbers of clients.
    static func over(clients counts: [Int], _ rows: Rows) -> Rows {
        counts.flatMap { count in rows.map { ($0.trial.over(clients: count), $0.measures) } }
    }

    /// This comparison, with only one alternative and one trial.
    var shortened: JudgedDefault {
        JudgedDefault(
            title, standard: standard, alternatives: Array(alternatives.prefix(1)),
            figures.prefix(1).map { ($0.trial, [$0.measure]) })
    }

    /// Returns the number of runs that the table takes.
    func runCount(_ settings: ScenarioSettings) -> Int {
        Set(figures.map(\.trial.name)).count * (alternatives.count + 1) * Self.seeds(settings).count
    }

    /// Returns a table with a column for each value, the default first.
    func table(_ settings: ScenarioSettings) -> Table {
        let values = [standard] + alternatives
        var table = Table(title, columns: [""] + values.map(\.name))
        var known: [String: [TrialOutcome]] = [:]
        for figure in figures {
            let trial = figure.trial
            let outcomes =
                known[trial.name] ?? values.map { Self.outcome(of: $0, trial, settings) }
            known[trial.name] = outcomes
            table.add(
                [.text("\(trial.name): \(figure.measure.name)")]
                    + outcomes.map(figure.measure.cell))
        }
        return table
    }

    private static func seeds(_ settings: ScenarioSettings) -> Range<UInt64> {
        settings.seed..<settings.seed + settings.choose(3, short: 1)
    }

    /// Returns the outcome of a value in a trial, as the mean over the seeds.
    static func outcome(
        of value: Value, _ trial: Trial, _ settings: ScenarioSettings
    ) -> TrialOutcome {
        let outcomes = seeds(settings).map { seed in
            var settings = settings
            settings.seed = seed
            let run = settings.run(trial.scenario) { trial.service(in: $0, of: value.make) }
            return TrialOutcome(of: run, trial)
        }
        return TrialOutcome(meanOf: outcomes)
    }
}

extension Middleware<SimulatedRequest, SimulatedResponse> {
    /// An attempt of one second at most, below everything that is compared.
    static func attempt(in world: SimulatedWorld) -> Self {
        .timeout(.seconds(1), on: world.scheduler)
    }
}
