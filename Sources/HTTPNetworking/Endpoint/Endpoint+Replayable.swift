public import Services

extension Endpoint: Replayable {
    /// Whether the endpoint may be asked for twice.
    ///
    /// It may if its method is idempotent, or if its header Idempotency-Key lets the server know a
    /// second request for the first. The body is at hand in any case.
    public var isReplayable: Bool {
        method.isIdempotent || headers["Idempotency-Key"] != nil
    }
}
