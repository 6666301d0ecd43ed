import PledgeFutures

/// The source of the policies' randomness: a random number generator that threads can share.
///
/// ```swift
/// let random = RandomSource.seeded(7)
/// let api = stack(.retry(random: random), over: transport)
/// ```
///
/// With a seeded generator, and a `ManualScheduler`, each run of a stack is the same.
public struct RandomSource {
    /// The system's generator.
    public static var system: RandomSource { RandomSource(state: nil) }

    /// The same numbers for the same seed, on every machine: those of a ``SeededGenerator``.
    public static func seeded(_ seed: UInt64) -> RandomSource {
        RandomSource(SeededGenerator(seed: seed))
    }

    /// The same number each time, for a test that computes exact times.
    ///
    /// With 0 a full jitter waits for zero, and no server's delay is lengthened; with 0.5 a full jitter waits for half
    /// of its limit.
    ///
    /// - Parameter fraction: The number, as a fraction of the range: from 0 up to, but not including, 1. Any other
    ///   is a programming error and traps.
    public static func constant(_ fraction: Double) -> RandomSource {
        precondition(fraction >= 0 && fraction < 1, "a fraction from 0 up to 1, not \(fraction)")
        return RandomSource(ConstantGenerator(number: UInt64(fraction * 0x1p64)))
    }

    /// Makes a source from a generator, which is used by one thread at a time.
    public init(_ generator: some RandomNumberGenerator & Sendable) {
        state = Locked(generator)
    }

    /// 64 random bits.
    public func next() -> UInt64 {
        guard let state else {
            var system = SystemRandomNumberGenerator()
            return system.next()
        }
        return state.withLock { $0.next() }
    }

    /// Draws one number, and returns whether an event with a probability happens.
    ///
    /// - Parameter probability: From 0, never, to 1, always.
    public func happens(withProbability probability: Double) -> Bool {
        fraction() < probability
    }

    /// Draws one number from 0 up to, but not including, 1.
    func fraction() -> Double {
        // 53 bits: the precision of a Double between 0 and 1.
        Double(next() >> 11) * 0x1p-53
    }

    /// Nil for the system's, which needs no lock.
    private let state: Locked<any RandomNumberGenerator & Sendable>?

    private init(state: Locked<any RandomNumberGenerator & Sendable>?) { self.state = state }
}

extension RandomSource: Sendable {}

private struct ConstantGenerator: RandomNumberGenerator, Sendable {
    let number: UInt64

    func next() -> UInt64 { number }
}
