import PledgeFutures

/// A rule that an ``AdaptiveConcurrency`` uses to find its limit.
///
/// ```swift
/// let limit = AdaptiveConcurrency(algorithm: .aimd(maximum: 64))
/// ```
///
/// Each algorithm takes constant time for a call. The algorithms with windows also take some thousand steps at the end
/// of each window. A window has at least 50 calls.
public struct ConcurrencyLimitAlgorithm: Sendable {
    /// Creates the state of a new limit, which draws its jitter from the generator.
    let makeMachine: @Sendable (SeededGenerator) -> any ConcurrencyLimitMachine

    /// The limit that a new state starts with.
    let initial: Int

    /// Raises the limit by one for each answer while at least half of it is used, and cuts it by a factor for a drop.
    ///
    /// A drop is a call whose end is a sign of overload, such as a timeout. The algorithm works only if there are
    /// drops. If a service answers everything, however late, only answers slower than `slowCallDuration` count as
    /// drops. The minimum applies to each client: a hundred clients with the default may always have 200 calls in
    /// flight. A value outside the bounds below is a programming error and traps.
    ///
    /// (Chiu and Jain 1989. The numbers are from Netflix's concurrency-limits, except for the minimum. There, the
    /// minimum is 20, so a hundred clients could never go below 2,000 calls in flight.)
    ///
    /// - Parameters:
    ///   - initial: The first limit; from the minimum to the maximum.
    ///   - minimum: The smallest limit; at least 1.
    ///   - maximum: The largest limit; from the minimum to 1,000,000.
    ///   - decrease: The factor for a drop; above 0 and below 1.
    ///   - slowCallDuration: The time above which an answer counts as a drop; more than zero.
    public static func aimd(
        initial: Int = 20, minimum: Int = 2, maximum: Int = 200, decrease: Double = 0.9,
        slowCallDuration: Duration = .seconds(5)
    ) -> ConcurrencyLimitAlgorithm {
        let bounds = checked(minimum, maximum, initial)
        precondition(
            decrease > 0 && decrease < 1, "a decrease is above 0 and below 1, not \(decrease)")
        precondition(
            slowCallDuration > .zero,
            "a slowCallDuration is more than zero, not \(slowCallDuration)")
        return ConcurrencyLimitAlgorithm(initial: initial) { _ in
            AIMDLimit(
                initial: initial, bounds: bounds, decrease: decrease,
                slowCallDuration: slowCallDuration)
        }
    }

    /// Estimates from the shortest round trip how many calls wait in the service.
    ///
    /// It suits services whose calls all take about the same time. If call times vary, most calls take much longer than
    /// the shortest one, and the limit becomes low. A value outside the bounds below is a programming error and traps.
    ///
    /// (Brakmo and Peterson 1995. The numbers are from Netflix's concurrency-limits.)
    ///
    /// - Parameters:
    ///   - initial: The first limit; from the minimum to the maximum.
    ///   - minimum: The smallest limit; at least 1.
    ///   - maximum: The largest limit; from the minimum to 1,000,000.
    public static func vegas(
        initial: Int = 20, minimum: Int = 1, maximum: Int = 1_000
    ) -> ConcurrencyLimitAlgorithm {
        let bounds = checked(minimum, maximum, initial)
        return ConcurrencyLimitAlgorithm(initial: initial) {
            VegasLimit(initial: initial, bounds: bounds, $0)
        }
    }

    /// Regularly measures the median round trip with few calls in flight, and compares later medians with it.
    ///
    /// It starts at the minimum, with a measurement. A value outside the bounds below is a programming error and traps.
    ///
    /// (The gradient controller of Envoy's adaptive concurrency filter, with its numbers.)
    ///
    /// - Parameters:
    ///   - minimum: The smallest limit, also used during a measurement; at least 1.
    ///   - maximum: The largest limit; from the minimum to 1,000,000.
    ///   - window: The shortest duration of a window; zero or more.
    ///   - measurementInterval: The time between measurements; more than zero. Up to 15 % is added at random, and a
    ///     measurement starts only at the end of a window.
    public static func gradient(
        minimum: Int = 3, maximum: Int = 1_000, window: Duration = .milliseconds(100),
        measurementInterval: Duration = .seconds(60)
    ) -> ConcurrencyLimitAlgorithm {
        let bounds = checked(minimum, maximum, minimum)
        precondition(window >= .zero, "a window is zero or more, not \(window)")
        precondition(
            measurementInterval > .zero,
            "a measurementInterval is more than zero, not \(measurementInterval)")
        return ConcurrencyLimitAlgorithm(initial: minimum) {
            GradientLimit(bounds: bounds, window: window, interval: measurementInterval, $0)
        }
    }

    /// Compares how the calls in flight, their throughput and their round trips change together.
    ///
    /// It changes the limit at most once a second. A value outside the bounds below is a programming error and traps.
    ///
    /// (The adaptive limiter of failsafe-go, with its numbers.)
    ///
    /// - Parameters:
    ///   - initial: The first limit; from the minimum to the maximum.
    ///   - minimum: The smallest limit; at least 1.
    ///   - maximum: The largest limit; from the minimum to 1,000,000.
    public static func correlation(
        initial: Int = 20, minimum: Int = 1, maximum: Int = 200
    ) -> ConcurrencyLimitAlgorithm {
        let bounds = checked(minimum, maximum, initial)
        return ConcurrencyLimitAlgorithm(initial: initial) { _ in
            CorrelationLimit(initial: initial, bounds: bounds)
        }
    }

    init(
        initial: Int,
        _ makeMachine: @escaping @Sendable (SeededGenerator) -> any ConcurrencyLimitMachine
    ) {
        self.initial = initial
        self.makeMachine = makeMachine
    }
}

/// Returns the bounds of a limit, or traps if they are out of range.
private func checked(_ minimum: Int, _ maximum: Int, _ initial: Int) -> ClosedRange<Int> {
    precondition(minimum >= 1, "a concurrency limit needs a minimum of at least 1, not \(minimum)")
    precondition(
        minimum <= maximum && maximum <= 1_000_000,
        "a concurrency limit needs a maximum from its minimum to 1000000, not \(maximum)")
    precondition(
        (minimum...maximum).contains(initial),
        "a concurrency limit needs an initial limit in \(minimum)...\(maximum), not \(initial)")
    return minimum...maximum
}

/// The measured end of a call, from which a limit learns how many calls the service can handle.
struct ConcurrencySample: Sendable {
    /// The instant at which the service was called.
    let start: SchedulerInstant
    /// The instant at which the call ended.
    let end: SchedulerInstant
    /// The number of calls in flight when this one started, including itself.
    let inFlight: Int
    /// True if the end is a sign of overload instead of an answer.
    let isDrop: Bool
    /// True if all places were taken when the call ended, including its own.
    var isFull = false

    /// The duration of the call, in nanoseconds; at least 1, so that it can be a divisor.
    var roundTrip: Int64 { max(1, start.duration(to: end).nanoseconds) }
}

/// The state of an algorithm, and the limit that follows from it.
protocol ConcurrencyLimitMachine: Sendable {
    /// The number of calls that may be in flight; at least 1.
    var limit: Int { get }

    /// Learns from the end of a call.
    mutating func record(_ sample: ConcurrencySample)
}

/// Returns the integer part of the limit's decimal logarithm, at least 1: the step of limits that follow TCP Vegas.
///
/// The step is 1 below 100, 2 below 1,000, and so on.
func wholeLogarithm(of limit: Int) -> Int {
    var (logarithm, rest) = (1, limit / 100)
    while rest > 0 {
        logarithm += 1
        rest /= 10
    }
    return logarithm
}

/// A limit that grows by one for each answer while at least half of it is used, and shrinks by a factor for each drop.
///
/// (Chiu and Jain 1989. The numbers are from Netflix's concurrency-limits, except for the minimum.)
struct AIMDLimit: ConcurrencyLimitMachine {
    private(set) var limit: Int
    private let bounds: ClosedRange<Int>
    private let decrease: Double
    private let slowCallDuration: Duration

    init(
        initial: Int, bounds: ClosedRange<Int>, decrease: Double, slowCallDuration: Duration
    ) {
        limit = initial
        self.bounds = bounds
        self.decrease = decrease
        self.slowCallDuration = slowCallDuration
    }

    mutating func record(_ sample: ConcurrencySample) {
        if sample.isDrop || sample.start.duration(to: sample.end) > slowCallDuration {
            limit = max(bounds.lowerBound, Int(Double(limit) * decrease))
        } else if sample.inFlight * 2 >= limit {
            // While most of the limit is unused, an answer doesn't show that the limit could be higher.
            limit = min(bounds.upperBound, limit + 1)
        }
    }
}

/// A limit that estimates the service's queue: the time above the shortest round trip is waiting time.
///
/// If L is the limit, about L·(1 − shortest ÷ round trip) calls wait. Let log be the integer part of L's decimal
/// logarithm, at least 1. The limit grows by 6·log while at most log calls wait, and by log while fewer than 3·log
/// wait. It shrinks by log when more than 6·log wait, and after a drop. After 15·L to 30·L samples, the shortest round
/// trip is measured again, because it may no longer be reachable. The number of samples is chosen at random for each
/// measurement.
///
/// (Brakmo and Peterson 1995, TCP Vegas. The numbers are from Netflix's concurrency-limits. There, a drop's time may
/// become the shortest round trip; here it may not, because a refusal is faster than any answer.)
struct VegasLimit: ConcurrencyLimitMachine {
    var limit: Int { Int(exact) }

    private var exact: Double
    private let bounds: ClosedRange<Int>
    private var generator: SeededGenerator
    /// The shortest round trip since the last measurement, in nanoseconds; nil before the first answer.
    private var shortest: Int64?
    private var samples = 0
    /// The number of samples before the next measurement, as a multiple of the limit.
    private var patience: Double

    init(initial: Int, bounds: ClosedRange<Int>, _ generator: SeededGenerator) {
        exact = Double(initial)
        self.bounds = bounds
        self.generator = generator
        patience = 0
        patience = nextPatience()
    }

    mutating func record(_ sample: ConcurrencySample) {
        samples += 1
        let step = Double(wholeLogarithm(of: limit))
        if sample.isDrop { return move(by: -step) }
        let roundTrip = sample.roundTrip
        guard let shortest, roundTrip >= shortest, Double(samples) < patience * exact else {
            measure(roundTrip)
            return
        }
        // While most of the limit is unused, a round trip says nothing about the limit.
        guard Double(sample.inFlight * 2) >= exact else { return }
        let waiting = (exact * (1 - Double(shortest) / Double(roundTrip))).rounded(.up)
        if waiting <= step {
            move(by: 6 * step)
        } else if waiting < 3 * step {
            move(by: step)
        } else if waiting > 6 * step {
            move(by: -step)
        }
    }

    /// Stores a round trip as the shortest, because it is shorter or the last measurement is too old.
    private mutating func measure(_ roundTrip: Int64) {
        shortest = roundTrip
        guard Double(samples) >= patience * exact else { return }
        samples = 0
        patience = nextPatience()
    }

    private mutating func nextPatience() -> Double {
        30 * (0.5 + Double(generator.next() >> 11) * 0x1p-54)
    }

    private mutating func move(by step: Double) {
        exact = min(Double(bounds.upperBound), max(Double(bounds.lowerBound), exact + step))
    }
}

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

/// A histogram of the round trips in a window.
///
/// A counter holds round trips that differ by at most 3 %, from a microsecond to 68 seconds. Shorter and longer ones go
/// into the first and the last counter. A drop counts as longer than any answer. Adding takes constant time; a
/// percentile and clearing take one step for each counter.
struct RoundTripWindow: Sendable {
    /// The number of round trips, including drops.
    private(set) var count = 0

    /// 32 counters for each doubling from 2¹⁰ to 2³⁶ nanoseconds.
    private var counts = Array(repeating: UInt32(0), count: 26 * 32)

    mutating func add(_ sample: ConcurrencySample) {
        count += 1
        if !sample.isDrop { counts[Self.index(of: sample.roundTrip)] += 1 }
    }

    mutating func clear() {
        guard count > 0 else { return }
        for index in counts.indices { counts[index] = 0 }
        count = 0
    }

    /// Returns a quantile of the round trips, in nanoseconds; infinite if it falls on a drop.
    func quantile(_ share: Double) -> Double {
        let rank = Int((Double(count) * share).rounded(.up))
        var sum = 0
        for (index, count) in counts.enumerated() {
            sum += Int(count)
            if sum >= rank { return Self.middle(of: index) }
        }
        // All other round trips are drops.
        return .infinity
    }

    private static func index(of nanoseconds: Int64) -> Int {
        let clamped = min(max(nanoseconds, 1 << 10), 1 << 36 - 1)
        let doubling = Int64.bitWidth - 1 - clamped.leadingZeroBitCount
        // The five bits after the highest bit that is set.
        return (doubling - 10) * 32 + Int(clamped >> (doubling - 5)) - 32
    }

    private static func middle(of index: Int) -> Double {
        let (doubling, part) = index.quotientAndRemainder(dividingBy: 32)
        return (Double(part) + 32.5) * Double(Int64(1) << (doubling + 5))
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
