import PledgeHTTPNetworking

/// The evaluation of a client's conditions on a stored response (RFC 9111, section 4.3.2).
enum Preconditions {
    /// Whether the client already has the stored response.
    ///
    /// If-None-Match takes precedence over If-Modified-Since. Without Last-Modified, the Date counts.
    static func isNotModified(_ request: HTTPHeaders, _ entry: CachedResponse) -> Bool {
        if let tags = request["If-None-Match"] {
            if tags == "*" { return true }
            guard let tag = EntityTag(of: entry.headers) else { return false }
            return EntityTag.list(tags).contains { $0.matchesWeakly(tag) }
        }
        guard let since = DateField.date(request, "If-Modified-Since") else { return false }
        return DateField.date(entry.headers, "Last-Modified") ?? entry.date <= since
    }
}
