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
