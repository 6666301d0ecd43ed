/// How an ``AdaptiveConcurrency`` finds its limit.
///
/// ```swift
/// let limit = AdaptiveConcurrency(algorithm: .aimd(maximum: 64))
/// ```
///
/// Each algorithm takes constant time for a call; those with windows also some thousand steps at the end of each, which
/// has at least 50 calls.
public struct ConcurrencyLimitAlgorithm {
    /// Makes the state of a new limit, whose chance is that of the generator.
    let makeMachine: @Sendable (SeededGenerator) -> any ConcurrencyLimitMachine

    /// The limit of a new state.
    let initial: Int

    /// Grows by one with each answer while at least half of the limit is used, and shrinks by a factor with each drop.
    ///
    /// It needs drops: of a service that answers everything, however late, it takes only what takes longer than
    /// `slowCallDuration` for a drop. The minimum is each client's: a hundred clients with the default always have up to
    /// 200 calls in flight. A value outside the bounds named here is a programming error and traps.
    ///
    /// (Chiu and Jain 1989; the numbers are those of Netflix's concurrency-limits, but for the minimum. There it is 20, with
    /// which a hundred clients never make fewer calls.)
    ///
    /// - Parameters:
    ///   - initial: The limit at first; from the minimum to the maximum.
    ///   - minimum: The least limit; at least 1.
    ///   - maximum: The greatest limit; at least the minimum.
    ///   - decrease: The factor of a drop; above 0 and below 1.
    ///   - slowCallDuration: An answer that takes longer is a drop; more than zero.
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

    /// Estimates how many calls wait in the service, by the shortest round trip.
    ///
    /// It fits services whose calls all take about the same time: where they differ, the shortest round trip is much
    /// shorter than the others, and the limit gets low. A value outside the bounds named here is a programming error and
    /// traps.
    ///
    /// (Brakmo and Peterson 1995; the numbers are those of Netflix's concurrency-limits.)
    ///
    /// - Parameters:
    ///   - initial: The limit at first; from the minimum to the maximum.
    ///   - minimum: The least limit; at least 1.
    ///   - maximum: The greatest limit; at least the minimum.
    public static func vegas(
        initial: Int = 20, minimum: Int = 1, maximum: Int = 1_000
    ) -> ConcurrencyLimitAlgorithm {
        let bounds = checked(minimum, maximum, initial)
        return ConcurrencyLimitAlgorithm(initial: initial) {
            VegasLimit(initial: initial, bounds: bounds, $0)
        }
    }

    /// Compares the median round trip with that of few calls in flight, which is measured now and then.
    ///
    /// It begins with the least limit, and measures first. A value outside the bounds named here is a programming error
    /// and traps.
    ///
    /// (The gradient controller of Envoy's adaptive concurrency filter, with its numbers.)
    ///
    /// - Parameters:
    ///   - minimum: The least limit, which is also that of a measurement; at least 1.
    ///   - maximum: The greatest limit; at least the minimum.
    ///   - window: How long a window lasts at least; zero or more.
    ///   - measurementInterval: After which time the round trip is measured again, up to 15 % later and at the end of a
    ///     window; more than zero.
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

    /// Looks at how the calls in flight, their throughput and their round trip change with each other.
    ///
    /// It changes the limit once a second at most. A value outside the bounds named here is a programming error and
    /// traps.
    ///
    /// (The adaptive limiter of failsafe-go, with its numbers.)
    ///
    /// - Parameters:
    ///   - initial: The limit at first; from the minimum to the maximum.
    ///   - minimum: The least limit; at least 1.
    ///   - maximum: The greatest limit; at least the minimum.
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

/// The bounds of a limit.
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

extension ConcurrencyLimitAlgorithm: Sendable {}
