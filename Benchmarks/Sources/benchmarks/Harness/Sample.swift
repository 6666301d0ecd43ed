/// The measured cost of one way of a case.
struct Sample: Sendable {
    let way: String
    /// Nanoseconds per operation, once for each round.
    var rounds: [Double] = []
    /// Allocations per operation, and their bytes; nil if they cannot be counted.
    var allocations: (number: Double, bytes: Double)?

    init(way: String) { self.way = way }

    /// The median of the rounds.
    var median: Double { quantile(0.5, of: rounds) }

    /// Half the distance between the quartiles, relative to the median.
    var spread: Double { (quantile(0.75, of: rounds) - quantile(0.25, of: rounds)) / 2 / median }

    /// Whether the rounds differ so much that the median says little.
    var isUnsteady: Bool { spread > 0.1 }

    /// This way's time divided by another's.
    ///
    /// The median of the quotients of each round, in which the two ran one after the other: a machine that
    /// slows down in the middle of a run does so for both.
    func ratio(to other: Sample) -> Double {
        quantile(0.5, of: zip(rounds, other.rounds).map { $0 / $1 })
    }
}

extension [Sample] {
    /// The largest spread of the samples.
    var worstSpread: Double { map(\.spread).max() ?? 0 }
}

/// The value below which a fraction of all values lies; 0.5: the median.
func quantile(_ fraction: Double, of values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted[Int((Double(sorted.count - 1) * fraction).rounded())]
}
