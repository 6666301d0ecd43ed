extension HTTPMethod {
    /// Whether a request asks for no change on the server.
    ///
    /// True for GET, HEAD, OPTIONS, TRACE (RFC 9110, section 9.2.1) and QUERY.
    public var isSafe: Bool { Self.safe.contains(self) }

    private static let safe: Set<HTTPMethod> = [.get, .head, .options, .trace, .query]
}
