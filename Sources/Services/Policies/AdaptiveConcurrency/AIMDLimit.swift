import PledgeFutures

/// A limit that grows by one with each answer while it is used, and shrinks by a factor with each drop.
///
/// (Chiu and Jain 1989; the numbers are those of Netflix's concurrency-limits, but for the least limit.)
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
            // A limit that is not used is no evidence that it could be higher.
            limit = min(bounds.upperBound, limit + 1)
        }
    }
}
