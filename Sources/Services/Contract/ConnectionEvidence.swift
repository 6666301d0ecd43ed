import Synchronization

/// Decides which failures on a connection count against the service.
///
/// If a connection that has answered before goes silent or ends, the requests on it fail together. That shows one fault,
/// which may be the network's, so a circuit breaker counts these failures once until the connection answers again, and
/// a retry budget pays for one of them. If a connection has never answered, each failure on it counts.
package final class ConnectionEvidence: Sendable {
    private enum State: UInt8, AtomicRepresentable {
        /// Next: answered.
        case new
        /// Next: failed.
        case answered
        /// Next: answered.
        case failed
    }

    private let state = Atomic(State.new)

    package init() {}

    /// Notes that an answer has begun.
    package func noteAnswer() { state.store(.answered, ordering: .relaxed) }

    /// Notes that a request has failed, and returns whether the failure counts.
    func countFailure() -> Bool {
        state.compareExchange(expected: .answered, desired: .failed, ordering: .relaxed).original
            != .failed
    }
}

extension CallRecord {
    /// Notes the connection over which a request of the attempt is sent; only the first one counts.
    package func use(_ connection: ConnectionEvidence) {
        _ = self.connection.storeIfNil(connection)
        outer?.use(connection)
    }

    /// Notes that an answer to a request of the attempt has begun.
    package func noteAnswer() {
        isAnswered.store(true, ordering: .relaxed)
        outer?.noteAnswer()
    }

    /// Notes that the attempt has failed, and returns whether the failure counts against the service.
    ///
    /// It does not count if no answer began, and another failure on the same connection has been counted. All who ask
    /// about one attempt get the same answer.
    func countFailure() -> Bool {
        guard !isAnswered.load(ordering: .relaxed), let connection = connection.load() else {
            return true
        }
        let known = failureCounts.load(ordering: .relaxed)
        if known != .undecided { return known == .counts }
        let counts = connection.countFailure()
        failureCounts.store(counts ? .counts : .isOneOfMany, ordering: .relaxed)
        return counts
    }
}

/// Whether the failure of an attempt counts against the service.
enum FailureCount: UInt8, AtomicRepresentable {
    case undecided, counts
    /// The connection has failed, and the failure of another attempt on it counts.
    case isOneOfMany
}
