public import PledgeFutures

extension CallContext {
    /// Sends a request by a function, and notes in the ``record`` that it is sent, and its fate.
    ///
    /// For your own transport, and for other code that sends:
    ///
    /// ```swift
    /// let send: Service<Order, Receipt> = { order in
    ///     CallContext.current.sending(order, fate: { _ in .mayHaveArrived }) { connection.send(order) }
    /// }
    /// ```
    ///
    /// If no policy may repeat the call, the function is called, and nothing is noted.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - fate: Returns the fate of a request that is not replayable. Called at most once, on the thread
    ///     that settles the call.
    ///   - send: Sends it. Called at most once, at once.
    /// - Returns: The future of the function; a future that rejects with ``AttemptSuperseded`` if the request may
    ///   not be sent.
    public func sending<Output: Sendable>(
        _ request: some Replayable,
        fate: @escaping @Sendable (Result<Output, any Error>) -> CallRecord.Fate,
        by send: () -> Future<Output>
    ) -> Future<Output> {
        guard let record else { return send() }
        let isReplayable = request.isReplayable
        do {
            let mark = try record.willSend(replayable: isReplayable)
            // The fate of a request that may be sent twice does not matter.
            return isReplayable ? send() : send().onEnd { record.end(mark, fate($0)) }
        } catch {
            return Future(error: error)
        }
    }
}
