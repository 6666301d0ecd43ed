/// What happens to one call: chosen from the faults when it begins, by chance alone.
struct ChaosPlan: Equatable, Sendable {
    /// How long the call is held back.
    private(set) var latency = Duration.zero
    /// The fault that fails the call, by its place; the first, if several do.
    private(set) var failure: Int?
    /// The faults that alter the outcome, by their places.
    private(set) var alterations: [Int] = []

    /// Chooses.
    ///
    /// Each fault draws one number, whether or not it can happen, and a latency that happens one more:
    /// so the choice depends on nothing but the faults and the numbers. Latencies add up.
    ///
    /// - Parameters:
    ///   - faults: In the order in which they draw.
    ///   - random: Where the numbers come from.
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
