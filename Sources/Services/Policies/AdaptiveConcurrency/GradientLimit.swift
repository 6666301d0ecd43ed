import PledgeFutures

/// A limit by the ratio of the round trip without load to the present one.
///
/// The first is measured with few calls in flight: the median of 50 answers. Then each window's median gives the ratio
/// 1.25·measured ÷ median, kept within 0.5 and 2; the limit becomes limit·ratio, plus the square root of that. The
/// measurement is repeated after a time that is up to 15 % longer than set, so that many clients do not measure at once,
/// and also when the limit has been the least for five windows: the measured round trip is then likely too short. It
/// begins at the end of a window. A client with few calls would otherwise measure again before its limit had ever changed,
/// and keep the least limit for ever.
///
/// (The gradient controller of Envoy's adaptive concurrency filter, with its numbers. There a window ends after its time,
/// whatever it has, a measurement may cut it short, and the time of a refusal counts; here it also needs 50 samples, and a
/// drop counts as longer than every answer.)
struct GradientLimit: ConcurrencyLimitMachine {
    private enum Phase {
        /// The round trip without load is measured, by calls that begin from an instant on; nil for all. Next: `follows`.
        case measures(since: SchedulerInstant?, then: Int)
        /// The limit follows the windows, of which the present one began at an instant. Next: `measures`.
        case follows(since: SchedulerInstant, until: SchedulerInstant)
    }

    private(set) var limit: Int

    private let bounds: ClosedRange<Int>
    private let window: Duration
    private let interval: Duration
    private var generator: SeededGenerator
    private var phase: Phase
    private var roundTrips = RoundTripWindow()
    /// The round trip without load, in nanoseconds.
    private var measured = 0.0
    /// How many windows in a row have left the limit at its least.
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
