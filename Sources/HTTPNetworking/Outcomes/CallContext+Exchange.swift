public import PledgeFutures
public import PledgeServices

extension CallContext {
    /// Sends a request by a function, and notes in the attempt's record that it is sent, and its fate by
    /// the rules of HTTP.
    ///
    /// Transports use it, so that a policy above knows which requests left the process:
    ///
    /// ```swift
    /// let send: HTTPService = { request in
    ///     CallContext.current.exchange(request) { connection.send(request) }
    /// }
    /// ```
    ///
    /// It is `CallContext.sending(_:fate:by:)`, with these rules: a request that was answered with 401, 407,
    /// 421, 425, 307 or 308 was refused, and a request whose error is certainly unsent was not sent.
    ///
    /// - Parameters:
    ///   - request: An `HTTPRequest` or an `Endpoint`.
    ///   - send: Sends it. Called at most once, at once.
    /// - Returns: The future of the function; a future that rejects with `AttemptSuperseded` if the request may not
    ///   be sent.
    public func exchange<Output: Sendable>(
        _ request: some Replayable, by send: () -> Future<Output>
    ) -> Future<Output> {
        sending(request, fate: { CallRecord.Fate(of: $0) }, by: send)
    }
}
