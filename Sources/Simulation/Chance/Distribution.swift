import PledgeServices

/// How durations are distributed: service times, latencies, think times.
///
/// ```swift
/// host.serviceTime = .bimodal(.milliseconds(10), .seconds(1), shareOfSecond: 0.01)
/// ```
///
/// A sample is a whole number of nanoseconds, and the same on every machine for the same seed.
public struct Distribution {
    // In a box, since each sample copies it.
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

    /// The mean in seconds; infinite for a Pareto distribution whose shape is 1 or less.
    public let meanInSeconds: Double

    private init(_ kind: Kind, mean nanoseconds: Double) {
        self.kind = kind
        meanInSeconds = nanoseconds / 1e9
    }
}

extension Distribution {
    /// The same duration each time.
    ///
    /// - Parameter duration: Zero or more; less is a programming error and traps.
    public static func constant(_ duration: Duration) -> Distribution {
        let value = checked(duration)
        return Distribution(.constant(value), mean: value)
    }

    /// Each duration between two is as likely as any other.
    public static func uniform(_ lower: Duration, _ upper: Duration) -> Distribution {
        let (lower, upper) = (checked(lower), checked(upper))
        precondition(lower <= upper, "a uniform distribution needs a lower and an upper bound")
        return Distribution(.uniform(lower, upper), mean: (lower + upper) / 2)
    }

    /// The exponential distribution: service without a memory.
    public static func exponential(mean: Duration) -> Distribution {
        let mean = checked(mean)
        return Distribution(.exponential(mean: mean), mean: mean)
    }

    /// The log-normal distribution.
    ///
    /// - Parameters:
    ///   - median: What half of all durations is below.
    ///   - sigma: The standard deviation of the logarithm: at 0.5 the 99th percentile is 3.2 times the median, at 1
    ///     10.2 times. Less than 0 is a programming error and traps.
    public static func logNormal(median: Duration, sigma: Double) -> Distribution {
        precondition(
            sigma >= 0, "a log-normal distribution needs a sigma of 0 or more, not \(sigma)")
        let median = checked(median)
        return Distribution(
            .logNormal(median: median, sigma: sigma),
            mean: median * PortableMath.exp(sigma * sigma / 2))
    }

    /// The Pareto distribution: few durations are far longer than most.
    ///
    /// - Parameters:
    ///   - minimum: The shortest duration.
    ///   - shape: How fast the tail falls: of durations beyond m times the minimum there are m to the power of −shape.
    ///     0 or less is a programming error and traps.
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
    ///   - second: The other one.
    ///   - share: How often it is the second, from 0 to 1; otherwise it traps.
    public static func bimodal(
        _ first: Duration, _ second: Duration, shareOfSecond share: Double
    ) -> Distribution {
        precondition(share >= 0 && share <= 1, "a share is from 0 to 1, not \(share)")
        let (first, second) = (checked(first), checked(second))
        return Distribution(
            .bimodal(first, second, shareOfSecond: share),
            mean: first * (1 - share) + second * share)
    }

    /// What was measured: how many durations lie up to each bound, and above the bound before it.
    ///
    /// Within a bucket each duration is as likely as any other. A sample costs O(log n) for n buckets.
    ///
    /// - Parameter buckets: In ascending order, with counts of 0 or more of which one is above 0; otherwise it traps.
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
    /// The index of the first element, in ascending order, that is larger than a number; the last one has to be.
    fileprivate func firstIndex(after number: Double) -> Int {
        var (low, high) = (1, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Distribution: Sendable {}
