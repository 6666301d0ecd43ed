import PledgeFutures

/// The number of calls for each latency in milliseconds.
///
/// A fixed number of counters: one for each millisecond up to 1,023, then 512 for each doubling up to 65,535,
/// so that the error is at most 0.2 %, and one for all longer latencies. (Gil Tene's HdrHistogram has the
/// same layout.)
struct LatencyHistogram: Sendable {
    /// The counters of one histogram.
    static let size = 1_024 + 6 * 512 + 1

    private(set) var counts = Array(repeating: UInt32(0), count: size)
    private(set) var total = 0

    /// Counts one latency, rounded up to whole milliseconds.
    mutating func add(_ latency: Duration) {
        let nanoseconds = max(0, latency.nanoseconds)
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        counts[Self.index(of: Int(clamping: quotient + (remainder > 0 ? 1 : 0)))] &+= 1
        total += 1
    }

    /// Empties all counters.
    mutating func clear() {
        guard total > 0 else { return }
        for index in counts.indices { counts[index] = 0 }
        total = 0
    }

    /// The counter of a number of milliseconds.
    static func index(of milliseconds: Int) -> Int {
        guard milliseconds >= 1_024 else { return milliseconds }
        guard milliseconds < 65_536 else { return size - 1 }
        let doubling = Int.bitWidth - milliseconds.leadingZeroBitCount - 11
        // 512…1,023 of a unit of 2, 4, 8 … milliseconds.
        let part = milliseconds >> (doubling + 1)
        return 1_024 + doubling * 512 + part - 512
    }

    /// The longest number of milliseconds that a counter counts; nil for the last one.
    static func longest(at index: Int) -> Int? {
        guard index >= 1_024 else { return index }
        guard index < size - 1 else { return nil }
        let (doubling, part) = (index - 1_024).quotientAndRemainder(dividingBy: 512)
        return ((part + 513) << (doubling + 1)) - 1
    }
}
