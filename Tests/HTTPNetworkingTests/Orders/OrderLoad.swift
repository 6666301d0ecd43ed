import PledgeFutures

/// The maximum number of calls that a layer makes for the calls that it gets.
struct OrderLoad: Sendable {
    /// The maximum number for each call, including the first.
    let attempts: Int
    /// What a budget allows in addition to the first attempts; nil if there is none.
    var budget: Budget?

    struct Budget: Sendable {
        let capacity: Int
        let retriesPerSuccess: Double
    }

    /// The maximum number of calls to a service that fails them all.
    ///
    /// - Parameter calls: The number of calls that the layer gets; each may succeed by a layer beneath, such as a
    ///   fallback.
    func most(of calls: Double) -> Double {
        let most = calls * Double(attempts)
        guard let budget else { return most }
        let retries = calls * budget.retriesPerSuccess + Double(budget.capacity)
        return min(most, calls + retries)
    }
}
