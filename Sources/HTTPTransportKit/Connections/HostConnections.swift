import PledgeFutures
import PledgeServices
import Synchronization

/// What a transport knows of its connections to one host, to notice that they have gone silent.
///
/// It serves transports whose library tells nothing about single connections. So it counts the bytes of all requests to
/// the host, and the time that requests have waited before they ran into a limit. The host is silent if no byte has
/// come for one second of such waits, or for three times the time to connect if that is longer. Waits at the same time
/// count once.
///
/// A request says nothing if it ended sooner than any answer has come. So a limit that is too short for the path to the
/// host doesn't make the host silent.
package final class HostConnections: Sendable {
    private struct State {
        /// The time until the host's fastest answer; nil before the first one.
        var fastestAnswer: Duration?
        /// The time to connect; nil if the library doesn't tell.
        var connectTime: Duration?
        /// How long requests that ran into a limit have waited since the last byte.
        var waited = Duration.zero
        /// The instant up to which waits have been counted.
        var counted: SchedulerInstant
        /// True if the host has answered over a connection that requests share.
        var isShared = false

        /// The silence after which the connections are left.
        ///
        /// If the library doesn't tell the time to connect, the fastest answer stands in for it, up to two seconds.
        var patience: Duration {
            let time = connectTime ?? fastestAnswer.map { min($0, .seconds(2)) } ?? .zero
            return max(.seconds(1), time * 3)
        }
    }

    private let scheduler: any FutureScheduler
    /// The time of the last byte, in nanoseconds.
    private let lastByte: Atomic<Int64>
    private let lastUse: Atomic<Int64>
    private let state: Locked<State>
    private let evidence = ConnectionEvidence()
    /// Makes later requests use other connections.
    private let leave: @Sendable (HostConnections) -> Void

    /// Creates the state of connections that have not been used.
    ///
    /// - Parameters:
    ///   - last: The connections that these ones replace; nil if there were none.
    ///   - scheduler: The clock.
    ///   - leave: Called when the connections are silent.
    init(
        replacing last: HostConnections? = nil, on scheduler: any FutureScheduler,
        leave: @escaping @Sendable (HostConnections) -> Void
    ) {
        let now = scheduler.now
        self.scheduler = scheduler
        self.leave = leave
        lastByte = Atomic(now.offset.nanoseconds)
        lastUse = Atomic(now.offset.nanoseconds)
        let known = last?.state.withLock { $0 }
        state = Locked(
            State(
                fastestAnswer: known?.fastestAnswer, connectTime: known?.connectTime, counted: now))
    }

    /// Notes that a request is about to use the connections.
    func noteUse() { lastUse.store(scheduler.now.offset.nanoseconds, ordering: .relaxed) }

    /// Returns whether the last request began longer ago than `time`.
    func isUnused(for time: Duration) -> Bool {
        let last = Duration.nanoseconds(lastUse.load(ordering: .relaxed))
        return scheduler.now.offset - last > time
    }
}

extension HostConnections {
    func noteRequest(of record: CallRecord?) {
        if let record, state.withLock({ $0.isShared }) { record.use(evidence) }
    }

    /// Notes that bytes have come, or that the connection has taken bytes of a body.
    func noteByte() { lastByte.store(scheduler.now.offset.nanoseconds, ordering: .relaxed) }

    /// Notes that the answer to a request has begun.
    ///
    /// - Parameter start: The instant at which the request was sent.
    func noteAnswer(since start: SchedulerInstant) {
        let time = start.duration(to: scheduler.now)
        state.withLock { $0.fastestAnswer = min(time, $0.fastestAnswer ?? time) }
        evidence.noteAnswer()
    }

    /// Notes whether requests to the host share a connection, as over HTTP/2.
    func noteSharing(_ isShared: Bool) { state.withLock { $0.isShared = isShared } }

    func noteConnectTime(_ connectTime: Duration) {
        state.withLock { $0.connectTime = connectTime }
    }

    /// Notes that a request has run into a limit, and leaves the connections if they are silent.
    ///
    /// - Parameter start: The instant at which the request was sent.
    func noteLimit(since start: SchedulerInstant) {
        let now = scheduler.now
        let byte = SchedulerInstant(offset: .nanoseconds(lastByte.load(ordering: .relaxed)))
        let isSilent = state.withLock { state in
            let patience = state.patience
            let wait = max(start, byte).duration(to: now)
            guard wait >= patience || state.fastestAnswer.map({ wait > $0 }) == true else {
                return false
            }
            if byte > state.counted { (state.waited, state.counted) = (.zero, byte) }
            state.waited = max(
                wait, state.waited + max(start, state.counted).duration(to: now))
            state.counted = now
            return state.waited >= patience
        }
        if isSilent { leave(self) }
    }
}
