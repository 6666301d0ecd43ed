/// The measured cost of one way of a case.
struct Sample: Sendable {
    let way: String
    /// The nanoseconds per operation, one value for each round.
    var rounds: [Double] = []
    /// The allocations per operation, and their bytes; nil if they can't be counted.
    var allocations: (number: Double, bytes: Double)?

    init(way: String) { self.way = way }

    /// The median of the rounds.
    var median: Double { quantile(0.5, of: rounds) }

    /// Half the distance between the quartiles, relative to the median.
    var spread: Double { (quantile(0.75, of: rounds) - quantile(0.25, of: rounds)) / 2 / median }

    /// True if the rounds differ so much that the median says little.
    var isUnsteady: Bool { spread > 0.1 }

    /// This way's time divided by another way's time.
    ///
    /// It is the median of the rounds' quotients. In each round, the two ways ran one after the other, so a machine
    /// that becomes slower in the middle of a run does so for both.
    func ratio(to other: Sample) -> Double {
        quantile(0.5, of: zip(rounds, other.rounds).map { $0 / $1 })
    }
}

extension [Sample] {
    /// The largest spread of the samples.
    var worstSpread: Double { map(\.spread).max() ?? 0 }
}

/// The value below which a fraction of all values lies; with 0.5, the median.
func quantile(_ fraction: Double, of values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted[Int((Double(sorted.count - 1) * fraction).rounded())]
}
