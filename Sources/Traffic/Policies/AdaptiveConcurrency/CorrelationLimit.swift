import PledgeFutures

/// A limit that compares how the calls in flight, their throughput and their round trips change together.
///
/// A window has at least 50 samples. It lasts at least a second, or twice the shortest round trip if that is longer,
/// but no more than 30 seconds are required. The 90th percentiles of the windows are smoothed to an average called
/// recent, which is compared with a slower average called baseline. If L is the limit, about L·(1 − baseline ÷ recent)
/// calls wait. Let log be the integer part of L's decimal logarithm, at least 1. The limit shrinks by log if
///
/// - more than 6·log calls wait,
/// - all places are taken, and throughput falls as the calls in flight rise,
/// - all places are taken, and round trips rise with the calls in flight (correlation above 0.5), but throughput hardly
///   does (below 0.3), or
/// - the new limit would be more than five times the calls in flight.
///
/// Otherwise it grows by log if fewer than 3·log calls wait.
///
/// (The adaptive limiter of failsafe-go, with its numbers. There, drops are ignored. Here, the limit also shrinks after
/// a window if more than a tenth of its samples are drops, because its 90th percentile isn't the time of an answer.)
struct CorrelationLimit: ConcurrencyLimitMachine {
    var limit: Int { Int(exact) }

    private var exact: Double
    private let bounds: ClosedRange<Int>
    private var roundTrips = RoundTripWindow()
    private var mostInFlight = 0
    /// The shortest round trip of the window, in nanoseconds; nil before its first answer.
    private var shortest: Int64?
    /// The instant after which the current window may end.
    private var windowEnd: SchedulerInstant?
    /// The last five percentiles; their median is used.
    private var percentiles: [Double] = []
    private var recent = MovingAverage(age: 5)
    private var baseline = MovingAverage(age: 10)
    private var throughputs = SampleCorrelation()
    private var times = SampleCorrelation()

    init(initial: Int, bounds: ClosedRange<Int>) {
        exact = Double(initial)
        self.bounds = bounds
    }

    mutating func record(_ sample: ConcurrencySample) {
        roundTrips.add(sample)
        mostInFlight = max(mostInFlight, sample.inFlight)
        if !sample.isDrop { shortest = min(shortest ?? .max, sample.roundTrip) }
        let end = windowEnd ?? sample.end
        windowEnd = end
        guard roundTrips.count >= 50, sample.end > end else { return }
        endWindow(isFull: sample.isFull)
        windowEnd = sample.end.advanced(by: nextWindow)
        roundTrips.clear()
        (mostInFlight, shortest) = (0, nil)
    }

    private var nextWindow: Duration {
        guard let shortest else { return .seconds(1) }
        return .nanoseconds(min(30_000_000_000, max(1_000_000_000, min(shortest, 1 << 40) * 2)))
    }

    private mutating func endWindow(isFull: Bool) {
        let step = Double(wholeLogarithm(of: limit))
        let percentile = roundTrips.quantile(0.9)
        var next = exact - step
        if percentile.isFinite { next = exact + step * direction(percentile, step, isFull) }
        if next > Double(mostInFlight) * 5 { next = exact - step }
        exact = min(Double(bounds.upperBound), max(Double(bounds.lowerBound), next))
    }

    /// Returns 1 if the limit grows, −1 if it shrinks, and 0 if it stays.
    private mutating func direction(
        _ percentile: Double, _ step: Double, _ isFull: Bool
    ) -> Double {
        let now = recent.add(medianOfFive(with: percentile))
        let waiting = (exact * (1 - baseline.add(now) / now)).rounded(.up)
        let inFlight = Double(mostInFlight)
        let throughput = throughputs.add(inFlight, inFlight / now)
        let time = times.add(inFlight, now)
        if waiting > 6 * step { return -1 }
        if isFull, throughput < 0 || (throughput < 0.3 && time > 0.5) { return -1 }
        return waiting < 3 * step ? 1 : 0
    }

    private mutating func medianOfFive(with percentile: Double) -> Double {
        if percentiles.count == 5 { percentiles.removeFirst() }
        percentiles.append(percentile)
        return percentiles.sorted()[percentiles.count / 2]
    }
}

/// An exponentially weighted moving average; for the first ten values, their plain mean.
struct MovingAverage: Sendable {
    private(set) var value = 0.0
    private var count = 0
    private let weight: Double

    private static let warmUp = 10

    /// - Parameter age: The approximate number of averaged values; the newest value has the weight 2 ÷ (age + 1).
    init(age: Int) { weight = 2 / Double(age + 1) }

    /// Adds a value.
    ///
    /// - Returns: The new average.
    mutating func add(_ new: Double) -> Double {
        count = min(count + 1, Self.warmUp + 1)
        value += (new - value) * (count <= Self.warmUp ? 1 / Double(count) : weight)
        return value
    }
}

/// A measure of how two quantities change together: Pearson's correlation of their last 50 values.
///
/// Adding takes one step for each stored value.
struct SampleCorrelation: Sendable {
    private var pairs: [(x: Double, y: Double)] = []
    private var oldest = 0

    private static let most = 50
    private static let least = 10

    /// Adds a pair of values.
    ///
    /// - Returns: The correlation, from −1 to 1. It is 0 for fewer than 10 pairs, and if either quantity's deviation is
    ///   below 1 % of its mean.
    mutating func add(_ x: Double, _ y: Double) -> Double {
        if pairs.count < Self.most {
            pairs.append((x, y))
        } else {
            pairs[oldest] = (x, y)
            oldest = (oldest + 1) % Self.most
        }
        return pairs.count < Self.least ? 0 : correlation
    }

    private var correlation: Double {
        let count = Double(pairs.count)
        let meanX = pairs.reduce(0) { $0 + $1.x } / count
        let meanY = pairs.reduce(0) { $0 + $1.y } / count
        var (squaresX, squaresY, products) = (0.0, 0.0, 0.0)
        for (x, y) in pairs {
            squaresX += (x - meanX) * (x - meanX)
            squaresY += (y - meanY) * (y - meanY)
            products += (x - meanX) * (y - meanY)
        }
        let deviationX = (squaresX / count).squareRoot()
        let deviationY = (squaresY / count).squareRoot()
        guard deviationX >= 0.01 * abs(meanX), deviationY >= 0.01 * abs(meanY),
            deviationX > 0, deviationY > 0
        else { return 0 }
        return products / count / (deviationX * deviationY)
    }
}
