/// What a swarm of runs has found.
public struct SwarmResult: Sendable {
    /// How many seeds were run; the runs of the shrinking are not counted.
    public let runCount: Int

    /// The seeds that failed, in ascending order.
    public let failingSeeds: [UInt64]

    /// The first of them, and the least case; nil if no seed failed.
    public let failure: SwarmFailure?
}

extension SwarmResult: CustomStringConvertible {
    /// How many seeds failed, and the report of the first.
    public var description: String {
        let seeds = "\(failingSeeds.count) of \(runCount) seeds fail"
        return failure.map { "\(seeds)\n\($0)" } ?? seeds
    }
}
