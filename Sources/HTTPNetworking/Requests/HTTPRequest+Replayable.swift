public import PledgeServices

extension HTTPRequest: Replayable {
    /// Whether the request may be sent twice.
    ///
    /// It may if its body can be, and if its method is idempotent or the server recognises a repetition by an
    /// idempotency key.
    public var isReplayable: Bool {
        body.isReplayable
            && (method.isIdempotent || context.idempotencyKey != nil
                || headers["Idempotency-Key"] != nil)
    }

    /// Whether its body is a stream that can be opened only once, and was.
    public var isConsumed: Bool {
        if case .stream(let source) = body.content { return source.isConsumed }
        return false
    }
}
