/// A random number generator that threads can share, for random choices such as a jitter.
///
/// ```swift
/// let random = RandomSource.seeded(7)
/// let api = stack(.retry(random: random), over: transport)
/// ```
///
/// With a seeded generator and a `ManualScheduler`, each run of a stack is the same. In a simulation, use the world's
/// source: a number that is drawn from ``system`` there is an error of the run.
public struct RandomSource: Sendable {
    /// The system's generator.
    public static var system: RandomSource { RandomSource(state: nil) }

    /// Returns a source with a ``SeededGenerator``: the same numbers for the same seed, on every machine.
    public static func seeded(_ seed: UInt64) -> RandomSource {
        RandomSource(SeededGenerator(seed: seed))
    }

    /// Returns a source that always draws the same number, for a test that computes exact times.
    ///
    /// With 0, a full jitter doesn't wait at all, and a delay that a server asks for isn't lengthened. With 0.5, a full
    /// jitter waits for half of its limit.
    ///
    /// - Parameter fraction: The number as a fraction of the range, from 0 up to, but not including, 1. Any other
    ///   value is a programming error and traps.
    public static func constant(_ fraction: Double) -> RandomSource {
        precondition(fraction >= 0 && fraction < 1, "a fraction from 0 up to 1, not \(fraction)")
        return RandomSource(ConstantGenerator(number: UInt64(fraction * 0x1p64)))
    }

    /// Creates a source that lets one thread at a time use a generator.
    public init(_ generator: some RandomNumberGenerator & Sendable) {
        state = Locked(generator)
    }

    /// Draws 64 random bits.
    public func next() -> UInt64 {
        noteUse()
        return nextOfID()
    }

    /// Tells a simulation on this thread that its numbers come from the system, if they do.
    package func noteUse() {
        if state == nil { TaskHome.noteUse(of: .chance) }
    }

    /// Draws 64 random bits for an ID, on which nothing depends that a simulation measures.
    package func nextOfID() -> UInt64 {
        guard let state else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        return state.withLock { $0.next() }
    }

    /// Draws one number, and returns whether an event with this probability happens.
    ///
    /// - Parameter probability: From 0, never, to 1, always.
    public func happens(withProbability probability: Double) -> Bool {
        fraction() < probability
    }

    /// Draws one number from 0 up to, but not including, 1.
    package func fraction() -> Double {
        // 53 bits: the precision of a Double between 0 and 1.
        Double(next() >> 11) * 0x1p-53
    }

    /// Nil for the system's generator, which needs no lock.
    private let state: Locked<any RandomNumberGenerator & Sendable>?

    private init(state: Locked<any RandomNumberGenerator & Sendable>?) { self.state = state }
}

private struct ConstantGenerator: RandomNumberGenerator, Sendable {
    let number: UInt64

    func next() -> UInt64 { number }
}

/// A random number generator with the same numbers for the same seed, on every machine.
///
/// The algorithm is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). Use
/// it for tests and simulations, not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Creates a generator, with a different sequence for each seed.
    public init(seed: UInt64) { state = seed }

    /// Returns the next number, in constant time.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, limited to about 292 years.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowOfSum) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || overflowOfSum ? (seconds < 0 ? .min : .max) : sum
    }

    /// Returns a duration from zero to a bound, both included, in whole nanoseconds, chosen by 64 random bits.
    ///
    /// The result is the upper half of bits × (bound + 1), so each draw needs only one random number. This is the
    /// method of Lemire 2019, "Fast random integer generation in an interval", without the rejection. The bias is below
    /// 2⁻²⁹ for bounds up to 30 seconds.
    package static func uniform(upTo bound: Duration, bits: UInt64) -> Duration {
        let count = UInt64(max(0, bound.nanoseconds)) + 1
        return .nanoseconds(Int64(bits.multipliedFullWidth(by: count).high))
    }
}
