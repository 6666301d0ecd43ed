/// How long one way of a case took, in nanoseconds per operation, once for each round.
struct Sample {
    let way: String
    var rounds: [Double] = []

    /// The middle one of the rounds.
    var median: Double { quantile(0.5) }

    /// Half the distance between the quartiles, relative to the median.
    var spread: Double { (quantile(0.75) - quantile(0.25)) / 2 / median }

    private func quantile(_ fraction: Double) -> Double {
        let sorted = rounds.sorted()
        return sorted[Int((Double(sorted.count - 1) * fraction).rounded())]
    }
}
