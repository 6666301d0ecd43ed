import PledgeSimulation

/// What the runs of a trial have measured, as the mean of their seeds.
struct TrialOutcome: Sendable, Hashable {
    /// Which part of the calls from the fault's begin to the end of the trial succeeded.
    var goodput = 0.0
    /// The 99th percentile of these calls' latencies, in seconds.
    var tail = 0.0
    /// How many calls the hosts got during the fault for each that was made.
    var sent = 0.0
    /// How long after the fault a second of calls still had less than 99 % successes, in seconds.
    var recovery = 0.0

    /// The mean of several outcomes.
    init(meanOf outcomes: [TrialOutcome]) {
        let count = Double(outcomes.count)
        goodput = outcomes.reduce(0) { $0 + $1.goodput } / count
        tail = outcomes.reduce(0) { $0 + $1.tail } / count
        sent = outcomes.reduce(0) { $0 + $1.sent } / count
        recovery = outcomes.reduce(0) { $0 + $1.recovery } / count
    }

    /// The outcome of one run.
    init(of run: SimulationRun, _ trial: Trial) {
        let measured = Double(trial.fault.lowerBound)...run.duration
        goodput = run.goodput(in: measured)
        tail = run.latency(99, in: measured) ?? 0
        sent = run.amplification(
            in: Double(trial.fault.lowerBound)..<Double(trial.fault.upperBound))
        let last = (trial.fault.upperBound..<Int(run.duration)).last { second in
            run.goodput(in: Double(second)...Double(second + 1)) < 0.99
        }
        recovery = last.map { Double($0 + 1 - trial.fault.upperBound) } ?? 0
    }
}

/// A figure of an outcome, in a column of a table.
enum Measure: Sendable {
    case goodput, tail, sent, recovery

    /// What it is called in the head of a column.
    var name: String {
        switch self {
        case .goodput: "goodput"
        case .tail: "p99"
        case .sent: "sent"
        case .recovery: "recovery"
        }
    }

    func cell(of outcome: TrialOutcome) -> Cell {
        switch self {
        case .goodput: .share(outcome.goodput)
        case .tail: .milliseconds(outcome.tail)
        case .sent: .number(outcome.sent, digits: 2)
        case .recovery: .text("\(Int(outcome.recovery.rounded())) s")
        }
    }
}
