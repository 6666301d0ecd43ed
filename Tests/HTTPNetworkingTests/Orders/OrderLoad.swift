import Futures

/// The maximum number of calls that a layer makes for the calls that it gets.
struct OrderLoad: Sendable {
    /// The maximum number for each call, including the first.
    let attempts: Int
    /// What a budget allows in addition to the first attempts; nil if there is none.
    var budget: Budget?

    struct Budget: Sendable {
        let ttl: Duration
        let minRetries: Int
        let percentCanRetry: Double
    }

    /// The maximum number of calls.
    ///
    /// - Parameters:
    ///   - calls: The number of calls that the layer gets.
    ///   - span: The time from the first to the last of them.
    func most(of calls: Double, within span: Duration) -> Double {
        let most = calls * Double(attempts)
        guard let budget else { return most }
        // A budget discards a tenth of its window at a time, so the window is up to a tenth shorter.
        let windows = 1 + (span / (budget.ttl * 0.9)).rounded(.down)
        // A budget rounds the price of a retry down, so the share is up to a thousandth larger.
        let retries =
            calls * budget.percentCanRetry * 1.001 + Double(budget.minRetries) * windows
        return min(most, calls + retries)
    }
}
