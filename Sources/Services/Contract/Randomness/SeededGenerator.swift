/// A random number generator with the same numbers for the same seed, on every machine.
///
/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
/// It is for tests and simulations, not for secrets.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Makes a generator; each seed gives a sequence of its own.
    public init(seed: UInt64) { state = seed }

    /// The next number, in constant time.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator: Hashable {}

extension SeededGenerator: Sendable {}
