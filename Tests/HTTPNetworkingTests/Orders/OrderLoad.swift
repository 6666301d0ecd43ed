import Futures

/// How many calls a layer makes at most of those that it gets.
struct OrderLoad: Sendable {
    /// For each call, the first included.
    let attempts: Int
    /// What a budget allows beside the first attempts, nil where there is none.
    var budget: Budget?

    struct Budget: Sendable {
        let ttl: Duration
        let minRetries: Int
        let percentCanRetry: Double
    }

    /// The largest number of calls.
    ///
    /// - Parameters:
    ///   - calls: How many it gets.
    ///   - span: From the first to the last of them.
    func most(of calls: Double, within span: Duration) -> Double {
        let most = calls * Double(attempts)
        guard let budget else { return most }
        // A budget forgets a tenth of its window at a time, so that the window is up to a tenth shorter.
        let windows = 1 + (span / (budget.ttl * 0.9)).rounded(.down)
        // A budget rounds the price of a retry down, so that the share is up to a thousandth larger.
        let retries =
            calls * budget.percentCanRetry * 1.001 + Double(budget.minRetries) * windows
        return min(most, calls + retries)
    }
}
