/// The same number each time, such as the end of every range.
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
