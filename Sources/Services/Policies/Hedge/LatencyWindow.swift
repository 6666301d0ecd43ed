import PledgeFutures

/// The latencies in a sliding window, and the latency from which a call is among the slowest.
///
/// Three histograms of 10 seconds each, at multiples of that from the scheduler's origin: a latency counts
/// for 20 to 30 seconds. The percentile is computed again when it is read and 3 seconds old. (Finagle's
/// BackupRequestFilter, WindowedPercentileHistogram.)
struct LatencyWindow: Sendable {
    /// The share of slow calls.
    private let share: Double
    /// The required number of calls: so many that one of them is slow, and at least ten.
    let enough: Int

    private var slices: [LatencyHistogram?] = [nil, nil, nil]
    /// The number of the newest slice since the origin.
    private var newest = Int64.min
    private var refreshed: SchedulerInstant?
    private var delay: Duration?

    private static let width: Int64 = 10_000_000_000
    private static let freshness = Duration.seconds(3)

    /// Makes a window without latencies.
    ///
    /// - Parameter share: 0…1; with 0, there are never enough.
    init(share: Double) {
        self.share = share
        enough = share < 1e-9 ? .max : max(10, Int((1 / share - 1e-9).rounded(.up)))
    }

    /// Adds the latency of a call.
    mutating func add(_ latency: Duration, at instant: SchedulerInstant) {
        turn(to: instant)
        slices[Int(newest.modulo(3))]?.add(latency)
    }

    /// The latency that only the share of slow calls exceeds; at least 1 millisecond.
    ///
    /// Nil while there are not enough, or if it is longer than a histogram covers.
    mutating func delay(at instant: SchedulerInstant) -> Duration? {
        if let refreshed, refreshed.duration(to: instant) < Self.freshness { return delay }
        turn(to: instant)
        refreshed = instant
        delay = percentile().map { .milliseconds(max(1, $0)) }
        return delay
    }

    /// The shortest latency that leaves no more than the share above it, in milliseconds.
    private func percentile() -> Int? {
        let known = slices.compactMap(\.self)
        let total = known.reduce(0) { $0 + $1.total }
        guard total >= enough else { return nil }
        // Without the small addend 0.07 × 100 would be less than 7.
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
    /// An earlier instant, from a thread that is late, counts as the newest.
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

extension Int64 {
    /// The remainder that is never negative.
    fileprivate func modulo(_ divisor: Int64) -> Int64 {
        let remainder = self % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }
}
