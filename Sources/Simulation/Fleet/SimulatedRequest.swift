public import PledgeServices

/// A call of a simulation, where the client's stack is one of services.
public struct SimulatedRequest: Hashable, Sendable {
    /// The number of the call, from 0: the same for all attempts.
    public let number: Int

    /// The host that is to answer, nil if the fleet chooses one.
    public var host: Int?

    /// Whether a second attempt does no harm.
    public var isReplayable = true

    /// Makes a request.
    public init(number: Int, host: Int? = nil) {
        self.number = number
        self.host = host
    }
}

extension SimulatedRequest: Replayable {}

/// A host's answer.
public struct SimulatedResponse: Hashable, Sendable {
    /// The host that answered.
    public let host: Int

    /// Makes an answer, for a stack of one's own.
    public init(host: Int) { self.host = host }
}
