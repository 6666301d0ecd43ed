import PledgeSimulation

/// The figures of a trial's runs, as the mean over their seeds.
struct TrialOutcome: Sendable, Hashable {
    /// The share of calls that succeeded, from the beginning of the fault to the end of the trial.
    var goodput = 0.0
    /// The 99th percentile of the latencies from the beginning of the fault to the end of the trial, in seconds.
    var tail = 0.0
    /// The number of calls sent to the hosts during the fault, per call made.
    var sent = 0.0
    /// The time from the end of the fault to the end of the last second with less than 99 % successes, in seconds.
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

/// A figure of an outcome, for a row of a table.
enum Measure: Sendable {
    case goodput, tail, sent, recovery

    /// The name of the figure in a table.
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
