import PledgeFutures

/// A limit that grows by one for each answer while at least half of it is used, and shrinks by a factor for each drop.
///
/// (Chiu and Jain 1989. The numbers are from Netflix's concurrency-limits, except for the minimum.)
struct AIMDLimit: ConcurrencyLimitMachine {
    private(set) var limit: Int
    private let bounds: ClosedRange<Int>
    private let decrease: Double
    private let slowCallDuration: Duration

    init(
        initial: Int, bounds: ClosedRange<Int>, decrease: Double, slowCallDuration: Duration
    ) {
        limit = initial
        self.bounds = bounds
        self.decrease = decrease
        self.slowCallDuration = slowCallDuration
    }

    mutating func record(_ sample: ConcurrencySample) {
        if sample.isDrop || sample.start.duration(to: sample.end) > slowCallDuration {
            limit = max(bounds.lowerBound, Int(Double(limit) * decrease))
        } else if sample.inFlight * 2 >= limit {
            // While most of the limit is unused, an answer doesn't show that the limit could be higher.
            limit = min(bounds.upperBound, limit + 1)
        }
    }
}
