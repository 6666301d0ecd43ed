import PledgeHTTPNetworking

/// The identity of a resource in a cache: its URL in normalised form, and the Host that a request sets.
///
/// Scheme and host in lower case, without a default port, without a fragment, and with a path of at
/// least "/" (RFC 9110, section 4.2.3). Escapes do not change: a server may distinguish them.
public struct CacheKey: Hashable, Sendable {
    /// The URL.
    ///
    /// Its query may hold secrets; `description` leaves those out.
    public let url: String

    /// The Host that the requests set, in lower case; nil for the URL's own.
    ///
    /// One address may serve several sites, which the Host tells apart.
    public let host: String?

    /// Makes a key, or returns nil if the URL is not an absolute http or https URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - host: The Host of its requests; nil if they set none.
    public init?(_ url: URL, host: String? = nil) {
        guard let parts = AbsoluteURL(url), let origin = HTTPOrigin(url) else { return nil }
        let isDefault = origin.port == (origin.scheme == "https" ? 443 : 80)
        let authority = parts.schemeAndAuthority.utf8.dropFirst(origin.scheme.utf8.count + 3)
        let user =
            authority.lastIndex(of: UInt8(ascii: "@")).map { Substring(authority[...$0]) } ?? ""
        let port = isDefault ? "" : ":\(origin.port)"
        let path = parts.path.isEmpty ? "/" : parts.path
        let query = parts.query.map { "?\($0)" } ?? ""
        self.url = "\(origin.scheme)://\(user)\(origin.host)\(port)\(path)\(query)"
        let own = origin.host + port
        let name = host?.lowercased()
        self.host = name == own || name == "\(origin.host):\(origin.port)" ? nil : name
    }
}

extension CacheKey {
    /// How many bytes it takes.
    var byteCount: Int { url.utf8.count + (host?.utf8.count ?? 0) }
}

extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without userinfo and without the values of its query.
    public var description: String { URL(string: url).map(SafeText.redacted) ?? "a key" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
