import PledgeFutures

/// The number of durations in each range, and their sum.
struct PrometheusHistogram: Sendable {
    /// The upper bounds of the ranges, which are included: the defaults of Prometheus' own clients.
    static let bounds: [Duration] = [
        .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(50),
        .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1),
        .milliseconds(2_500), .seconds(5), .seconds(10),
    ]

    private(set) var sum = Duration.zero
    private(set) var count = 0
    /// The number in each range; the last range has no upper bound.
    private var counts = Array(repeating: 0, count: bounds.count + 1)

    /// Adds a duration; less than zero counts as zero, and more than 292 years as 292 years.
    mutating func add(_ duration: Duration) {
        let duration = Duration.nanoseconds(max(0, duration.nanoseconds))
        let index = Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count
        counts[index] += 1
        count += 1
        sum += duration
    }

    /// For each bound, the number of durations up to it.
    var cumulative: [(bound: Duration, count: Int)] {
        var total = 0
        return zip(Self.bounds, counts).map { bound, count in
            total += count
            return (bound, total)
        }
    }
}
