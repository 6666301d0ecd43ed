public import PledgeServices

extension Endpoint: Replayable {
    /// Whether the endpoint may be requested twice.
    ///
    /// It may if its method is idempotent, or if the server recognises a repetition by its header
    /// Idempotency-Key. The body is always available.
    public var isReplayable: Bool {
        method.isIdempotent || headers["Idempotency-Key"] != nil || context.idempotencyKey != nil
    }
}
