#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPNetworking

extension RequestAttempt {
    /// The call to be made once more, nil where it must not be.
    ///
    /// A server may close a connection that is kept just when a request is sent on it. Such a request
    /// may be sent again, where it is safe to (RFC 9112, section 9.3.1): where nothing came back, the
    /// connection was one that was kept, and the same can be asked twice.
    ///
    /// A call that AsyncHTTPClient has let wait for a connection as long as making one may take was not
    /// sent, and waits on.
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
        return limits.connectionWait.map { elapsed < $0 } ?? true
    }
}
#endif
