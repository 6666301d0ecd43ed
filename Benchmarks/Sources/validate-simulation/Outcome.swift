import PledgeSimulation

/// What a run, over sockets or simulated, says of its calls.
struct Outcome {
    /// Percentiles of the time of the calls that succeeded, in seconds.
    var median: Double
    var tail: Double
    /// Which part of the calls succeeded.
    var goodput: Double
    /// How many requests the server got for each call.
    var amplification: Double
}

extension Outcome {
    /// What was measured; the percentiles are infinite if no call succeeded.
    ///
    /// - Parameters:
    ///   - times: How long each call took that succeeded.
    ///   - calls: How many calls were made.
    ///   - requests: How many requests the server got.
    init(times: [Double], calls: Int, requests: Int) {
        let times = times.sorted()
        self.init(
            median: times.percentile(50) ?? .infinity, tail: times.percentile(99) ?? .infinity,
            goodput: Double(times.count) / Double(calls),
            amplification: Double(requests) / Double(calls))
    }

    init(_ run: SimulationRun) {
        precondition(run.escapedActions == 0, "all of the stack stays in the simulation")
        self.init(
            median: run.latency(50) ?? .infinity, tail: run.latency(99) ?? .infinity,
            goodput: run.goodput, amplification: run.amplification)
    }

    /// The mean of some, of which there is at least one.
    init(meanOf outcomes: [Outcome]) {
        func mean(_ value: (Outcome) -> Double) -> Double {
            outcomes.map(value).reduce(0, +) / Double(outcomes.count)
        }
        self.init(
            median: mean(\.median), tail: mean(\.tail), goodput: mean(\.goodput),
            amplification: mean(\.amplification))
    }
}

extension [Double] {
    /// Of numbers in ascending order, the least that a share of them does not exceed, as in `SimulationRun`; nil if
    /// there is none.
    func percentile(_ percentile: Double) -> Double? {
        if isEmpty { return nil }
        let rank = (Double(count) * percentile / 100).rounded(.up)
        return self[Swift.max(Int(rank), 1) - 1]
    }
}
