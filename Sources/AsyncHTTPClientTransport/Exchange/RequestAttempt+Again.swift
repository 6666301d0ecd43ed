#if AsyncHTTPClient
import AsyncHTTPClient
import PledgeHTTPNetworking
import NIOCore

extension RequestAttempt {
    /// The call to make again; nil if the call must not be repeated.
    ///
    /// A server may close a kept connection just when a request is sent on it. Such a request may be sent
    /// again if that is safe (RFC 9112, section 9.3.1): no part of an answer arrived, the connection was a
    /// kept one, and the request may be repeated.
    ///
    /// A server over HTTP/2 may leave just when requests are sent, and say that it processes none of them. They
    /// are sent again on another connection, whatever their method, unless their body is a stream.
    ///
    /// If AsyncHTTPClient ends a call because it has waited for a connection as long as connecting may take,
    /// the call was not sent, and waits again.
    func again(after error: any Error, _ control: RequestLifetime) -> RequestAttempt? {
        if mayWaitOn(after: error), !control.isOver {
            return RequestAttempt(after: self)
        }
        if mayAskAnother(after: error), !control.isOver {
            return RequestAttempt(after: self, exclusions: 1)
        }
        guard resends < 2, request.isReplayable, !lease.isCancelled, !control.isOver,
            HTTPError.Code(asyncHTTPClient: error) == .connectionLost,
            connectionsBefore != nil, connectionsBefore == lease.connections?.count
        else { return nil }
        return RequestAttempt(after: self, resends: 1)
    }

    /// Marks the error by which a connection ended before the request was sent.
    func unsent(_ error: any Error) -> any Error {
        // An error of the system may have come while the head was being sent.
        guard HTTPError.Code(asyncHTTPClient: error) == .connectionLost, !(error is IOError),
            !(error is UnprocessedRequest), !lease.isCancelled
        else { return error }
        // AsyncHTTPClient gave the request to a connection that was about to be closed.
        let isLate = error as? HTTPClientError == .cancelled
        return UnprocessedRequest(cause: error, reason: isLate ? .leaving : .unsent)
    }

    private func mayAskAnother(after error: any Error) -> Bool {
        guard let error = error as? UnprocessedRequest, error.reason == .leaving,
            exclusions < 10, !lease.isCancelled
        else { return false }
        if case .stream = request.body.content { return false }
        return true
    }

    private func mayWaitOn(after error: any Error) -> Bool {
        guard let limits = lease.limits, !lease.isCancelled,
            error as? HTTPClientError == .getConnectionFromPoolTimeout
        else { return false }
        return limits.connectionWait.map { exchange.elapsed < $0 } ?? true
    }
}
#endif
