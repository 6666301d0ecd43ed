import PledgeHTTPNetworking

/// The parts of a URL that matter for cookies.
struct CookieURL {
    /// In lower case.
    let host: String
    /// As it is sent, at least "/".
    let path: String
    /// Whether the connection is protected by TLS.
    let isSecure: Bool

    /// Makes the place of a URL, or returns nil if that is not an absolute http or https URL.
    init?(_ url: URL) {
        guard let origin = HTTPOrigin(url), let parts = AbsoluteURL(url) else { return nil }
        host = origin.host
        path = parts.path.isEmpty ? "/" : String(parts.path)
        isSecure = origin.scheme == "https"
    }
}
