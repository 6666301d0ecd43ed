import PledgeFutures

/// The latencies in a sliding window, and the latency above which a call is among the slowest.
///
/// It has three histograms of 10 seconds each, at multiples of 10 seconds from the scheduler's origin, so a latency
/// counts for 20 to 30 seconds. When the percentile is read and is more than 3 seconds old, it is computed again.
/// (Finagle's BackupRequestFilter, WindowedPercentileHistogram.)
struct LatencyWindow: Sendable {
    /// The share of slow calls.
    private let share: Double
    /// The required number of calls: enough that one of them is slow, and at least ten.
    let enough: Int

    private var slices: [LatencyHistogram?] = [nil, nil, nil]
    /// The number of the newest slice, counted from the scheduler's origin.
    private var newest = Int64.min
    private var refreshed: SchedulerInstant?
    private var delay: Duration?

    private static let width: Int64 = 10_000_000_000
    private static let freshness = Duration.seconds(3)

    /// Creates a window without latencies.
    ///
    /// - Parameter share: The share of slow calls; 0…1. With 0, no number of calls is enough.
    init(share: Double) {
        self.share = share
        enough = share < 1e-9 ? .max : max(10, Int((1 / share - 1e-9).rounded(.up)))
    }

    /// Adds the latency of a call.
    mutating func add(_ latency: Duration, at instant: SchedulerInstant) {
        turn(to: instant)
        slices[Int(newest.modulo(3))]?.add(latency)
    }

    /// Returns the latency that at most `share` of the calls exceed; at least 1 millisecond.
    ///
    /// Nil while there are too few calls, or if the latency is longer than a histogram covers.
    mutating func delay(at instant: SchedulerInstant) -> Duration? {
        if let refreshed, refreshed.duration(to: instant) < Self.freshness { return delay }
        turn(to: instant)
        refreshed = instant
        delay = percentile().map { .milliseconds(max(1, $0)) }
        return delay
    }

    /// Returns the shortest latency, in milliseconds, that at most `share` of the calls exceed.
    private func percentile() -> Int? {
        let known = slices.compactMap(\.self)
        let total = known.reduce(0) { $0 + $1.total }
        guard total >= enough else { return nil }
        // Without the small addend, rounding errors would matter: 0.29 × 100 is less than 29.
        let rank = max(1, total - Int(share * Double(total) + 1e-9))
        var sum = 0
        for index in 0..<LatencyHistogram.size {
            for slice in known { sum += Int(slice.counts[index]) }
            if sum >= rank { return LatencyHistogram.longest(at: index) }
        }
        return nil
    }

    /// Empties the histograms that have expired.
    ///
    /// A late thread may call this with an instant before the newest slice. Such an instant counts as part of the
    /// newest slice.
    private mutating func turn(to instant: SchedulerInstant) {
        let nanoseconds = instant.offset.nanoseconds
        let slice = (nanoseconds - nanoseconds.modulo(Self.width)) / Self.width
        guard slice > newest else { return }
        let first = newest == .min ? slice : max(newest + 1, slice - 2)
        for expired in first...slice { slices[Int(expired.modulo(3))]?.clear() }
        let index = Int(slice.modulo(3))
        if slices[index] == nil { slices[index] = LatencyHistogram() }
        newest = slice
    }
}

/// A count of calls for each latency in milliseconds.
///
/// It has a fixed number of counters: one for each millisecond up to 1,023, then 512 for each doubling up to 65,535,
/// and one for all longer latencies. The error is at most 0.2 %. (The layout of Gil Tene's HdrHistogram.)
struct LatencyHistogram: Sendable {
    /// The number of counters.
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

    /// Returns the index of the counter for a number of milliseconds.
    static func index(of milliseconds: Int) -> Int {
        guard milliseconds >= 1_024 else { return milliseconds }
        guard milliseconds < 65_536 else { return size - 1 }
        let doubling = Int.bitWidth - milliseconds.leadingZeroBitCount - 11
        // The latency in units of 2, 4, 8 … milliseconds: a number from 512 to 1,023.
        let part = milliseconds >> (doubling + 1)
        return 1_024 + doubling * 512 + part - 512
    }

    /// Returns the highest number of milliseconds that a counter covers; nil for the last counter.
    static func longest(at index: Int) -> Int? {
        guard index >= 1_024 else { return index }
        guard index < size - 1 else { return nil }
        let (doubling, part) = (index - 1_024).quotientAndRemainder(dividingBy: 512)
        return ((part + 513) << (doubling + 1)) - 1
    }
}
