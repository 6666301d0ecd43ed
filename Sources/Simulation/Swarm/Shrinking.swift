/// What a swarm makes smaller of a case that fails, and in how many runs.
public struct Shrinking {
    /// A part of a scenario.
    public enum Part: Sendable, Hashable, CaseIterable {
        /// Faults are removed.
        case faults
        /// Hosts are removed that no fault and no code names by a number.
        case hosts
        /// Faults begin earlier, and last for a shorter time.
        case faultTimes
        /// Calls are made for a shorter time.
        case duration
        /// Fewer calls, or clients, come in a time.
        case arrivals
        /// The arrivals become a list of times, from which calls are removed; not for a closed loop.
        case calls
    }

    /// What is made smaller.
    public var parts = Set(Part.allCases)

    /// How many runs are made for it, at most.
    public var maxRuns = 500

    /// Makes the default: all parts, in at most 500 runs.
    public init() {}

    /// The case is left as it is.
    public static var none: Shrinking {
        var shrinking = Shrinking()
        shrinking.parts = []
        return shrinking
    }
}

extension Shrinking: Sendable {}
