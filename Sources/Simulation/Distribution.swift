import PledgeFutures

/// A probability distribution of durations, such as service times, latencies or think times.
///
/// ```swift
/// host.serviceTime = .bimodal(.milliseconds(10), .seconds(1), shareOfSecond: 0.01)
/// ```
///
/// A sample is a whole number of nanoseconds, and is the same on every machine for the same seed.
public struct Distribution: Sendable {
    // `indirect`, so that the copy that each sample makes is cheap.
    private indirect enum Kind: Sendable {
        case constant(Double)
        case uniform(Double, Double)
        case exponential(mean: Double)
        case logNormal(median: Double, sigma: Double)
        case pareto(minimum: Double, shape: Double)
        case bimodal(Double, Double, shareOfSecond: Double)
        case histogram(bounds: [Double], cumulative: [Double])
    }

    private let kind: Kind

    /// The mean, in seconds; infinite for a Pareto distribution with a shape of 1 or less.
    public let meanInSeconds: Double

    private init(_ kind: Kind, mean nanoseconds: Double) {
        self.kind = kind
        meanInSeconds = nanoseconds / 1e9
    }
}

extension Distribution {
    /// The same duration each time.
    ///
    /// - Parameter duration: Zero or more. A negative duration is a programming error and traps.
    public static func constant(_ duration: Duration) -> Distribution {
        let value = checked(duration)
        return Distribution(.constant(value), mean: value)
    }

    /// Any duration between two bounds, each equally likely.
    public static func uniform(_ lower: Duration, _ upper: Duration) -> Distribution {
        let (lower, upper) = (checked(lower), checked(upper))
        precondition(lower <= upper, "a uniform distribution needs a lower and an upper bound")
        return Distribution(.uniform(lower, upper), mean: (lower + upper) / 2)
    }

    /// The exponential distribution: the time that is left doesn't depend on the time that has passed.
    public static func exponential(mean: Duration) -> Distribution {
        let mean = checked(mean)
        return Distribution(.exponential(mean: mean), mean: mean)
    }

    /// The log-normal distribution.
    ///
    /// - Parameters:
    ///   - median: The median: half of all durations are below it.
    ///   - sigma: The standard deviation of the logarithm. If it is 0.5, the 99th percentile is 3.2 times the median;
    ///     if it is 1, 10.2 times. Less than 0 is a programming error and traps.
    public static func logNormal(median: Duration, sigma: Double) -> Distribution {
        precondition(
            sigma >= 0, "a log-normal distribution needs a sigma of 0 or more, not \(sigma)")
        let median = checked(median)
        return Distribution(
            .logNormal(median: median, sigma: sigma),
            mean: median * PortableMath.exp(sigma * sigma / 2))
    }

    /// The Pareto distribution: a few durations are far longer than the rest.
    ///
    /// - Parameters:
    ///   - minimum: The shortest duration.
    ///   - shape: How fast the tail falls: the share of durations longer than m times the minimum is m to the power of
    ///     −shape. A shape of 0 or less is a programming error and traps.
    public static func pareto(minimum: Duration, shape: Double) -> Distribution {
        precondition(shape > 0, "a Pareto distribution needs a shape above 0, not \(shape)")
        let minimum = checked(minimum)
        return Distribution(
            .pareto(minimum: minimum, shape: shape),
            mean: shape > 1 ? minimum * shape / (shape - 1) : .infinity)
    }

    /// One of two durations.
    ///
    /// - Parameters:
    ///   - first: The usual duration.
    ///   - second: The other duration.
    ///   - share: The probability of the second duration, from 0 to 1. Any other value traps.
    public static func bimodal(
        _ first: Duration, _ second: Duration, shareOfSecond share: Double
    ) -> Distribution {
        precondition(share >= 0 && share <= 1, "a share is from 0 to 1, not \(share)")
        let (first, second) = (checked(first), checked(second))
        return Distribution(
            .bimodal(first, second, shareOfSecond: share),
            mean: first * (1 - share) + second * share)
    }

    /// A measured distribution, as a histogram.
    ///
    /// Within a bucket, each duration is equally likely. A sample costs O(log n) for n buckets.
    ///
    /// - Parameter buckets: The upper bound of each bucket, and the number of durations in it. The first bucket begins
    ///   at zero, and each other bucket at the upper bound of the one before. The bounds must ascend, every count must
    ///   be 0 or more, and at least one count must be above 0. Anything else traps.
    public static func histogram(_ buckets: [(upTo: Duration, count: Int)]) -> Distribution {
        let bounds = [0] + buckets.map { checked($0.upTo) }
        var cumulative = [0.0]
        for bucket in buckets {
            precondition(
                bucket.count >= 0, "a bucket has a count of 0 or more, not \(bucket.count)")
            cumulative.append(cumulative.last! + Double(bucket.count))
        }
        precondition(
            cumulative.last! > 0 && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 },
            "a histogram needs ascending bounds and a count")
        var sum = 0.0
        for (index, bucket) in buckets.enumerated() {
            sum += (bounds[index] + bounds[index + 1]) / 2 * Double(bucket.count)
        }
        return Distribution(
            .histogram(bounds: bounds, cumulative: cumulative), mean: sum / cumulative.last!)
    }

    private static func checked(_ duration: Duration) -> Double {
        precondition(
            duration >= .zero, "a duration of a distribution is zero or more, not \(duration)")
        return Double(Nanoseconds(duration))
    }
}

extension Distribution {
    /// Draws a duration, in nanoseconds.
    func sample(_ generator: inout SeededGenerator) -> Nanoseconds {
        Nanoseconds(min(drawn(&generator), 9e18).rounded())
    }

    private func drawn(_ generator: inout SeededGenerator) -> Double {
        switch kind {
        case .constant(let value): return value
        case .uniform(let lower, let upper): return lower + (upper - lower) * generator.uniform()
        case .exponential(let mean): return -mean * PortableMath.log(generator.uniform())
        case .logNormal(let median, let sigma):
            return median * PortableMath.exp(sigma * generator.normal())
        case .pareto(let minimum, let shape):
            return minimum * PortableMath.exp(-PortableMath.log(generator.uniform()) / shape)
        case .bimodal(let first, let second, let share):
            return generator.uniform() < share ? second : first
        case .histogram(let bounds, let cumulative):
            let rank = generator.uniform() * cumulative.last!
            let index = cumulative.firstIndex(after: rank)
            let part = (rank - cumulative[index - 1]) / (cumulative[index] - cumulative[index - 1])
            return bounds[index - 1] + (bounds[index] - bounds[index - 1]) * part
        }
    }
}

extension [Double] {
    /// The index of the first element that is larger than a number.
    ///
    /// The elements ascend, and the last one is larger.
    fileprivate func firstIndex(after number: Double) -> Int {
        var (low, high) = (1, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension SeededGenerator {
    /// Strictly between 0 and 1.
    mutating func uniform() -> Double { (Double(next() >> 11) + 0.5) * 0x1p-53 }

    /// From the standard normal distribution, by Marsaglia's polar method ("A convenient method for generating normal
    /// variables", 1964); the second of its two numbers is dropped.
    mutating func normal() -> Double {
        while true {
            let (x, y) = (2 * uniform() - 1, 2 * uniform() - 1)
            let square = x * x + y * y
            if square < 1, square > 0 {
                return x * (-2 * PortableMath.log(square) / square).squareRoot()
            }
        }
    }

    /// A generator whose numbers are independent of this one's, and different for each `stream`.
    func split(_ stream: UInt64) -> SeededGenerator {
        var parent = self
        var child = SeededGenerator(seed: parent.next() ^ (stream &* 0xD134_2543_DE82_EF95))
        return SeededGenerator(seed: child.next())
    }
}
