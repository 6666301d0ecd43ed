public import Futures

extension CallContext {
    /// Sends a request by a function, and notes in the ``record`` that it is sent and what became of it.
    ///
    /// For a transport of your own, and for whatever else sends:
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
    ///   - request: What is sent.
    ///   - fate: Says what became of a request that is not replayable. Called at most once, on the thread that
    ///     settles the call.
    ///   - send: Sends it. Called at most once, at once.
    /// - Returns: The future of the function; one that rejects with ``Superseded`` where the request may not
    ///   be sent.
    public func sending<Output: Sendable>(
        _ request: some Replayable,
        fate: @escaping @Sendable (Result<Output, any Error>) -> CallRecord.Fate,
        by send: () -> Future<Output>
    ) -> Future<Output> {
        guard let record else { return send() }
        let isReplayable = request.isReplayable
        do {
            let mark = try record.willSend(replayable: isReplayable)
            // What may be sent twice may have any fate.
            return isReplayable ? send() : send().onEnd { record.end(mark, fate($0)) }
        } catch {
            return Future(error: error)
        }
    }
}
