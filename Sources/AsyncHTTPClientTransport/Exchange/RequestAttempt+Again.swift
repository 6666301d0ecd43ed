#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPNetworking

extension RequestAttempt {
    /// The call to make again; nil if the call must not be repeated.
    ///
    /// A server may close a kept connection just when a request is sent on it. Such a request may be sent
    /// again if that is safe (RFC 9112, section 9.3.1): no part of an answer arrived, the connection was a
    /// kept one, and the request may be repeated.
    ///
    /// If AsyncHTTPClient ends a call because it has waited for a connection as long as connecting may take,
    /// the call was not sent, and waits again.
    func again(after error: any Error, _ control: RequestLifetime) -> RequestAttempt? {
        if mayWaitOn(after: error), !control.isOver {
            return RequestAttempt(after: self, wasUnsent: true)
        }
        guard resends < 2, request.isReplayable, !lease.isCancelled, !control.isOver,
            HTTPError.Code(asyncHTTPClient: error) == .connectionLost,
            connectionsBefore != nil, connectionsBefore == lease.connections?.count
        else { return nil }
        return RequestAttempt(after: self, wasUnsent: false)
    }

    private func mayWaitOn(after error: any Error) -> Bool {
        guard let limits = lease.limits, !lease.isCancelled,
            error as? HTTPClientError == .getConnectionFromPoolTimeout
        else { return false }
        return limits.connectionWait.map { exchange.elapsed < $0 } ?? true
    }
}
#endif
