import PledgeFutures
import PledgeServices

/// A limit that compares the present round trips with the round trip without load.
///
/// The round trip without load is the median of 50 answers with few calls in flight. After that, each window's median
/// gives the ratio 1.25·measured ÷ median, clamped to 0.5…2. The limit becomes limit·ratio, plus the square root of
/// that product. The measurement is repeated after the set interval plus up to 15 %, so that many clients don't measure
/// at once. It is also repeated after five windows at the smallest limit, because the measured round trip is then
/// probably too short. A measurement starts only at the end of a window. Otherwise a client with few calls would
/// measure again before its limit had ever changed, and would keep the smallest limit forever.
///
/// (The gradient controller of Envoy's adaptive concurrency filter, with its numbers. There, a window ends when its
/// time is over, however few samples it has; a measurement may cut a window short; and the time of a refusal counts.
/// Here, a window also needs 50 samples, and a drop counts as longer than any answer.)
struct GradientLimit: ConcurrencyLimitMachine {
    private enum Phase {
        /// Measures the round trip without load.
        ///
        /// Only calls that start at `since` or later are measured; with nil, all calls. Next: `follows`.
        case measures(since: SchedulerInstant?, then: Int)
        /// Adjusts the limit after each window; the current window started at `since`. Next: `measures`, after `until`.
        case follows(since: SchedulerInstant, until: SchedulerInstant)
    }

    private(set) var limit: Int

    private let bounds: ClosedRange<Int>
    private let window: Duration
    private let interval: Duration
    private var generator: SeededGenerator
    private var phase: Phase
    private var roundTrips = RoundTripWindow()
    /// The measured round trip without load, in nanoseconds.
    private var measured = 0.0
    /// The number of consecutive windows at the smallest limit.
    private var windowsAtLeast = 0

    private static let samples = 50

    init(
        bounds: ClosedRange<Int>, window: Duration, interval: Duration, _ generator: SeededGenerator
    ) {
        limit = bounds.lowerBound
        self.bounds = bounds
        self.window = window
        self.interval = interval
        self.generator = generator
        phase = .measures(since: nil, then: bounds.lowerBound)
    }

    mutating func record(_ sample: ConcurrencySample) {
        switch phase {
        case .measures(let start, let next):
            if let start, sample.start < start { return }
            if !sample.isDrop { roundTrips.add(sample) }
            if roundTrips.count >= Self.samples { endMeasurement(at: sample.end, next) }
        case .follows(let start, let end):
            roundTrips.add(sample)
            guard roundTrips.count >= Self.samples, start.duration(to: sample.end) >= window else {
                return
            }
            follow()
            if windowsAtLeast >= 5 || sample.end >= end {
                measure(from: sample.end)
            } else {
                phase = .follows(since: sample.end, until: end)
            }
        }
    }

    private mutating func measure(from instant: SchedulerInstant) {
        phase = .measures(since: instant, then: limit)
        limit = bounds.lowerBound
        windowsAtLeast = 0
        roundTrips.clear()
    }

    private mutating func endMeasurement(at instant: SchedulerInstant, _ next: Int) {
        measured = roundTrips.quantile(0.5)
        roundTrips.clear()
        limit = next
        let jitter = Duration.uniform(upTo: interval * 0.15, bits: generator.next())
        phase = .follows(since: instant, until: instant.advanced(by: interval + jitter))
    }

    private mutating func follow() {
        let ratio = min(2, max(0.5, 1.25 * measured / roundTrips.quantile(0.5)))
        roundTrips.clear()
        let scaled = Double(limit) * ratio
        let new = Int(scaled + scaled.squareRoot())
        let next = min(bounds.upperBound, max(bounds.lowerBound, new))
        windowsAtLeast = limit == bounds.lowerBound && next == limit ? windowsAtLeast + 1 : 0
        limit = next
    }
}
