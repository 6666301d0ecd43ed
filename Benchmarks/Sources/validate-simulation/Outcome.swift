import PledgeSimulation

/// The figures of a run, over sockets or simulated.
struct Outcome {
    /// Percentiles of the times of the successful calls, in seconds.
    var median: Double
    var tail: Double
    /// The share of calls that succeeded.
    var goodput: Double
    /// The number of requests that the server got per call.
    var amplification: Double
}

extension Outcome {
    /// Creates the outcome of a measurement.
    ///
    /// If no call succeeded, the percentiles are infinite.
    ///
    /// - Parameters:
    ///   - times: The time of each successful call.
    ///   - calls: The number of calls made.
    ///   - requests: The number of requests that the server got.
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

    /// Creates the mean of several outcomes.
    ///
    /// There must be at least one.
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
    /// Returns a percentile of numbers in ascending order; nil if there are none.
    ///
    /// The percentile is the smallest number for which at least this share of all numbers isn't greater, as in
    /// `SimulationRun`.
    func percentile(_ percentile: Double) -> Double? {
        if isEmpty { return nil }
        let rank = (Double(count) * percentile / 100).rounded(.up)
        return self[Swift.max(Int(rank), 1) - 1]
    }
}
