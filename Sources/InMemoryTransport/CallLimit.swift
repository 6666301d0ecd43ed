import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// The time of a call: a wire transport ends a call at its deadline, and so does this one.
struct CallLimit: Sendable {
    private let deadline: CallDeadline
    private let time: Duration
    private let endpoint: Endpoint?
    private let request: HTTPRequest?

    /// Makes the limit of a call that begins now; nil if it has no deadline.
    init?(_ deadline: CallDeadline?, of endpoint: Endpoint) {
        self.init(deadline, endpoint, nil)
    }

    /// The same for a call of the second level.
    init?(_ deadline: CallDeadline?, of request: HTTPRequest) { self.init(deadline, nil, request) }

    private init?(_ deadline: CallDeadline?, _ endpoint: Endpoint?, _ request: HTTPRequest?) {
        guard let deadline else { return nil }
        self.deadline = deadline
        time = max(.zero, deadline.remaining)
        self.endpoint = endpoint
        self.request = request
    }

    /// Throws if no time is left.
    func check() throws {
        if deadline.remaining <= .zero { throw error }
    }

    /// Fails a future that has not settled when the time is over.
    func applied<Value>(to future: Future<Value>) -> Future<Value> {
        if future.isSettled { return future }
        let limited = InternalPromise<Value>()
        let answer = future.onEnd { limited.settle(with: $0) }
        limited.onCancel { answer.cancel() }
        let timer = Locked<(any ScheduledAction)?>(nil)
        arm(timer) {
            if limited.reject(with: error) { answer.cancel() }
        }
        return limited.onEnd { _ in timer.withLock { $0 }?.cancel() }
    }

    /// Runs an action at the deadline, which an upload may move.
    private func arm(
        _ timer: Locked<(any ScheduledAction)?>, _ action: @escaping @Sendable () -> Void
    ) {
        let next = deadline.schedule {
            if deadline.remaining > .zero { arm(timer, action) } else { action() }
        }
        timer.withLock { $0 = next }
    }

    private var error: HTTPError {
        HTTPError(.deadline(after: time), endpoint: endpoint, request: request)
    }
}

extension Future {
    /// Fails with the error of a call whose time is over.
    func ending(within limit: CallLimit?) -> Future<Value> { limit?.applied(to: self) ?? self }
}
