/// A small seeded generator (Vigna's SplitMix64), so that a failing run can be repeated.
struct Seeded: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// The same number each time: the end of every range.
struct Constant: RandomNumberGenerator, Sendable {
    let bits: UInt64

    init(_ bits: UInt64) { self.bits = bits }

    func next() -> UInt64 { bits }
}

/// Counts from zero, one by one.
struct Counting: RandomNumberGenerator, Sendable {
    private var count: UInt64 = 0

    mutating func next() -> UInt64 {
        defer { count += 1 }
        return count
    }
}
