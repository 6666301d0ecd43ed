public import PledgeServices

/// A simulated call, as a request for a stack of services.
public struct SimulatedRequest: Hashable, Sendable, Replayable {
    /// The number of the call, from 0.
    ///
    /// All attempts of a call have the same number.
    public let number: Int

    /// The host that must answer; nil if the fleet chooses one.
    public var host: Int?

    /// True if a second attempt does no harm.
    public var isReplayable = true

    /// Creates a request.
    public init(number: Int, host: Int? = nil) {
        self.number = number
        self.host = host
    }
}

/// A host's answer.
public struct SimulatedResponse: Hashable, Sendable {
    /// The host that answered.
    public let host: Int

    /// Creates an answer, for your own stack.
    public init(host: Int) { self.host = host }
}

/// The reason why a simulated host didn't answer a call successfully.
public struct SimulatedFailure: Error, Hashable {
    /// The kinds of failure.
    public enum Code: Sendable, Hashable {
        /// The host's queue is full.
        case queueFull
        /// The host is down, so the call did not reach it.
        case unreachable
        /// The host went down while it had the call.
        case connectionLost
        /// The host failed, as ``HostSettings/failureRate`` says.
        case failed
        /// The host's own call to another host failed.
        case downstreamFailed
        /// The call's deadline had passed before a worker was free.
        case deadlinePassed
    }

    /// The kind of failure.
    public let code: Code

    /// The number of the host.
    public let host: Int

    /// The time after which the call may be repeated; nil if the host doesn't say.
    public var retryAfter: Duration?

    var name: String?
}

extension SimulatedFailure: AdvisingError {
    /// Advises to retry, as for a 503, but only after ``retryAfter`` has passed.
    package var outcome: Outcome { .retryable(after: retryAfter) }

    /// True if the call did not reach its host.
    package var isCertainlyUnsent: Bool { code == .unreachable }
}

extension SimulatedFailure: CodedError {
    /// The code's name.
    public var loggedCode: String { "\(code)" }
}

extension SimulatedFailure: CustomStringConvertible {
    /// What happened, and on which host.
    public var description: String {
        let host = name ?? "host \(host)"
        return switch code {
        case .queueFull: "\(host) refused the call: its queue is full"
        case .unreachable: "\(host) is down"
        case .connectionLost: "\(host) went down while it had the call"
        case .failed: "\(host) failed"
        case .downstreamFailed: "\(host) failed, as a call of it to another host did"
        case .deadlinePassed: "\(host) did not begin the call: its deadline had passed"
        }
    }
}
