import PledgeFutures

/// A limit by how the calls in flight, their throughput and their round trip change with each other.
///
/// A window lasts at least a second, twice the shortest round trip if that is longer, but 30 seconds at most, and has at
/// least 50 samples. Its 90th percentile, smoothed, is compared with a slower average, the baseline: of L calls in
/// flight, L·(1 − baseline ÷ recent) wait. With log for the whole part of the decimal logarithm of L, at least 1, the
/// limit shrinks by log if
///
/// - more than 6·log calls wait,
/// - all places are taken, and throughput falls as the calls in flight rise,
/// - all places are taken, and round trips rise with the calls in flight (above 0.5), but throughput hardly does (below
///   0.3), or
/// - it would be more than five times the calls in flight.
///
/// Otherwise it grows by log if fewer than 3·log calls wait.
///
/// (The adaptive limiter of failsafe-go, with its numbers. There drops are left out; here a window shrinks the limit if
/// more than a tenth of it are drops, because its 90th percentile is then no answer's.)
struct CorrelationLimit: ConcurrencyLimitMachine {
    var limit: Int { Int(exact) }

    private var exact: Double
    private let bounds: ClosedRange<Int>
    private var roundTrips = RoundTripWindow()
    private var mostInFlight = 0
    /// The shortest round trip of the window, in nanoseconds; nil before its first answer.
    private var shortest: Int64?
    /// When the present window may end.
    private var windowEnd: SchedulerInstant?
    /// The last percentiles, of which the median counts.
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

    /// Whether the limit grows, 1, shrinks, −1, or stays, 0.
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
