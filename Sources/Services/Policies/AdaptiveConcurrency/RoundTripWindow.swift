/// The round trips of some time, as the number of those of each length.
///
/// A counter counts lengths that differ by 3 % at most, from a microsecond to 68 seconds; shorter and longer ones are in
/// the first and the last. A drop counts as longer than every answer. Adding takes constant time, and a percentile or
/// clearing as many steps as there are counters.
struct RoundTripWindow: Sendable {
    /// How many round trips it has, with drops.
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

    /// What a share of all round trips is not longer than, in nanoseconds; infinite if that is a drop.
    func quantile(_ share: Double) -> Double {
        let rank = Int((Double(count) * share).rounded(.up))
        var sum = 0
        for (index, count) in counts.enumerated() {
            sum += Int(count)
            if sum >= rank { return Self.middle(of: index) }
        }
        // The rest are drops.
        return .infinity
    }

    private static func index(of nanoseconds: Int64) -> Int {
        let clamped = min(max(nanoseconds, 1 << 10), 1 << 36 - 1)
        let doubling = Int64.bitWidth - 1 - clamped.leadingZeroBitCount
        // The five bits behind the first.
        return (doubling - 10) * 32 + Int(clamped >> (doubling - 5)) - 32
    }

    private static func middle(of index: Int) -> Double {
        let (doubling, part) = index.quotientAndRemainder(dividingBy: 32)
        return (Double(part) + 32.5) * Double(Int64(1) << (doubling + 5))
    }
}
