package import PledgeFutures
package import PledgeServices

/// Ends a call at its deadline, as a real transport does.
package struct CallLimit: Sendable {
    private let context: CallContext
    private let time: Duration
    private let endpoint: Endpoint?
    private let request: HTTPRequest?

    /// Creates the limit of a call that begins now; nil if the call has no deadline.
    package init?(in context: CallContext, of endpoint: Endpoint) {
        self.init(context, endpoint, nil)
    }

    /// Creates the limit of a call that begins now; nil if the call has no deadline.
    package init?(in context: CallContext, of request: HTTPRequest) {
        self.init(context, nil, request)
    }

    private init?(_ context: CallContext, _ endpoint: Endpoint?, _ request: HTTPRequest?) {
        guard let remaining = context.remaining else { return nil }
        self.context = context
        time = max(.zero, remaining)
        self.endpoint = endpoint
        self.request = request
    }

    /// Throws if no time is left.
    package func check() throws {
        if let remaining = context.remaining, remaining <= .zero { throw error }
    }

    /// Fails a future at the deadline, unless it has settled before.
    func applied<Value>(to future: Future<Value>) -> Future<Value> {
        if future.isSettled { return future }
        let limited = InternalPromise<Value>()
        let answer = future.onEnd { limited.settle(with: $0) }
        limited.onCancel { answer.cancel() }
        let timer = context.atDeadline {
            if limited.reject(with: error) { answer.cancel() }
        }
        return limited.onEnd { _ in timer?.cancel() }
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
