import PledgeFutures
import PledgeServices

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
