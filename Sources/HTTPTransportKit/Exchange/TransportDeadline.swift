package import PledgeFutures
package import PledgeHTTPMessages
package import PledgeServices

extension CallContext {
    /// Throws if a transport's call has no time left.
    package func checkDeadline(
        endpoint: Endpoint? = nil, request: HTTPRequest? = nil
    ) throws(HTTPError) {
        guard let remaining, remaining <= .zero else { return }
        throw HTTPError(.deadline(after: .zero), endpoint: endpoint, request: request)
    }

    /// Fails a transport's call at the deadline, unless it has settled before.
    package func limiting<Value>(
        _ future: Future<Value>, endpoint: Endpoint? = nil, request: HTTPRequest? = nil
    ) -> Future<Value> {
        guard let remaining, !future.isSettled else { return future }
        let limited = InternalPromise<Value>()
        let answer = future.onEnd { limited.settle(with: $0) }
        limited.onCancel { answer.cancel() }
        let timer = atDeadline {
            let late = HTTPError(.deadline(after: remaining), endpoint: endpoint, request: request)
            if limited.reject(with: late) { answer.cancel() }
        }
        return limited.onEnd { _ in timer?.cancel() }
    }
}
