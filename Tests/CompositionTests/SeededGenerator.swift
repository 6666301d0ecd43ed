/// A generator whose numbers follow from its seed (SplitMix64), so that a failed law can be rerun.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// A random function; two of them rarely commute, so that a law sees their order.
func randomFunction(using generator: inout SeededGenerator) -> @Sendable (UInt64) -> UInt64 {
    let factor = generator.next()
    let offset = generator.next()
    return { $0 &* factor &+ offset }
}
