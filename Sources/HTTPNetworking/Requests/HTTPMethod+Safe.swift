extension HTTPMethod {
    /// Whether a request asks for nothing to be changed.
    ///
    /// True of GET, HEAD, OPTIONS, TRACE (RFC 9110, section 9.2.1) and QUERY.
    public var isSafe: Bool { Self.safe.contains(self) }

    private static let safe: Set<HTTPMethod> = [.get, .head, .options, .trace, .query]
}
