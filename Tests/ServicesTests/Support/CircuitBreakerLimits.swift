@testable import PledgeServices

extension CircuitBreakerLimits {
    /// Limits for a breaker that opens at once.
    init(
        failuresInARow: Int = 10, failuresLasting: Duration = .zero, successRate: Double = 0.5,
        minimumRequests: Int = 5, slowCallRate: Double = 1, probes: Int = 1
    ) {
        self.init(
            failuresInARow: failuresInARow, failuresLasting: failuresLasting,
            successRate: successRate, window: .seconds(30), minimumRequests: minimumRequests,
            slowCallRate: slowCallRate, probes: probes)
    }
}
