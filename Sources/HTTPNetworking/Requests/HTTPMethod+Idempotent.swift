extension HTTPMethod {
    /// Whether a server that gets the same request twice is left as if it had got it once.
    ///
    /// True of GET, HEAD, PUT, DELETE, OPTIONS, TRACE (RFC 9110, section 9.2.2) and QUERY. Of any
    /// other method nothing is known, so it is false.
    public var isIdempotent: Bool { Self.idempotent.contains(self) }

    private static let idempotent: Set<HTTPMethod> = [
        .get, .head, .put, .delete, .options, .trace, .query,
    ]
}
