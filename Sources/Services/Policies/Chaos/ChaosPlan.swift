/// The faults of one call, chosen at random when it begins.
struct ChaosPlan: Equatable, Sendable {
    /// How long the call is delayed.
    private(set) var latency = Duration.zero
    /// The index of the fault that fails the call; the first, if several happen.
    private(set) var failure: Int?
    /// The indices of the faults that alter the outcome.
    private(set) var alterations: [Int] = []

    /// Chooses.
    ///
    /// Each fault draws one number, whether or not it can happen, and a latency that happens draws one more.
    /// So the choice depends only on the faults and the numbers. Latencies add up.
    ///
    /// - Parameters:
    ///   - faults: The faults, in the order in which they draw.
    ///   - random: The source of the numbers.
    init<Output>(of faults: [ChaosFault<Output>], random: RandomSource) {
        for (index, fault) in faults.enumerated()
        where random.happens(withProbability: fault.probability) {
            switch fault.kind {
            case .latency(let least, let span):
                latency += least + .uniform(upTo: span, bits: random.next())
            case .failure: failure = failure ?? index
            case .outcome: alterations.append(index)
            }
        }
    }
}
