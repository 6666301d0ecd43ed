package import PledgeFutures
package import PledgeServices

/// Ends a call at its deadline, as a real transport does.
package struct CallLimit: Sendable {
    private let deadline: CallDeadline
    private let time: Duration
    private let endpoint: Endpoint?
    private let request: HTTPRequest?

    /// Creates the limit of a call that begins now; nil if the call has no deadline.
    package init?(_ deadline: CallDeadline?, of endpoint: Endpoint) {
        self.init(deadline, endpoint, nil)
    }

    /// Creates the limit of a call that begins now; nil if the call has no deadline.
    package init?(_ deadline: CallDeadline?, of request: HTTPRequest) {
        self.init(deadline, nil, request)
    }

    private init?(_ deadline: CallDeadline?, _ endpoint: Endpoint?, _ request: HTTPRequest?) {
        guard let deadline else { return nil }
        self.deadline = deadline
        time = max(.zero, deadline.remaining)
        self.endpoint = endpoint
        self.request = request
    }

    /// Throws if no time is left.
    package func check() throws {
        if deadline.remaining <= .zero { throw error }
    }

    /// Fails a future at the deadline, unless it has settled before.
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

    /// Runs an action at the deadline, and waits again if an upload has moved the deadline.
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
    /// Returns the same result, or fails with the code `timedOut` if the limit passes first.
    package func ending(within limit: CallLimit?) -> Future<Value> {
        limit?.applied(to: self) ?? self
    }
}
