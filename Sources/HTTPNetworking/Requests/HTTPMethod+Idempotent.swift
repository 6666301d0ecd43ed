extension HTTPMethod {
    /// Whether two equal requests have the same effect on the server as one.
    ///
    /// True for GET, HEAD, PUT, DELETE, OPTIONS, TRACE (RFC 9110, section 9.2.2) and QUERY. False for any
    /// other method, of which nothing is known.
    public var isIdempotent: Bool { Self.idempotent.contains(self) }

    private static let idempotent: Set<HTTPMethod> = [
        .get, .head, .put, .delete, .options, .trace, .query,
    ]
}
