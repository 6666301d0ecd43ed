public import PledgeServices

/// Why a simulated host did not answer a call with success.
public struct SimulatedFailure: Error, Hashable {
    /// The kinds of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The host's queue is full.
        case queueFull
        /// The host is down: the call did not reach it.
        case unreachable
        /// The host went down while it had the call.
        case connectionLost
        /// The host failed, by ``HostSettings/failureRate``.
        case failed
        /// A call of the host to another one failed.
        case downstreamFailed
        /// The call's deadline had passed before a worker was free.
        case deadlinePassed
    }

    /// What happened.
    public let code: Code

    /// The number of the host.
    public let host: Int

    /// When the call may come again, if the host says it.
    public var retryAfter: Duration?

    /// The host's name, if it was given one.
    var name: String?
}

extension SimulatedFailure: OutcomeAdvising {
    /// It may be repeated, as after an answer of 503; not before ``retryAfter``.
    public var advisedOutcome: Outcome { .retryable(after: retryAfter) }

    /// Whether the call has not reached its host.
    public var isCertainlyUnsent: Bool { code == .unreachable }
}

extension SimulatedFailure: CodedError {
    /// The code's name.
    public var loggedCode: String { code.rawValue }
}

extension SimulatedFailure: CustomStringConvertible {
    /// What happened, and to which host.
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
