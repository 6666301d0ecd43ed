import HTTPNetworking

/// What of a URL counts for cookies.
struct CookiePlace {
    /// In lower case.
    let host: String
    /// As it is sent, at least "/".
    let path: String
    /// Whether the connection is protected against reading and writing on the way.
    let isSecure: Bool

    /// Makes the place of a URL, or returns nil where that is no absolute http or https URL.
    init?(_ url: URL) {
        guard let origin = HTTPOrigin(url), let parts = AbsoluteURL(url) else { return nil }
        host = origin.host
        path = parts.path.isEmpty ? "/" : String(parts.path)
        isSecure = origin.scheme == "https"
    }
}
