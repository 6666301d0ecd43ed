public import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPText

/// The identity of a resource in a cache: its normalised URL, and the Host of its requests.
///
/// The URL has a lowercase scheme and host, no default port, no fragment, and a path of at least "/" (RFC 9110, section
/// 4.2.3). Percent-encoding is left unchanged, because a server may distinguish `%41` from `A`.
public struct CacheKey: Hashable, Sendable {
    /// The normalised URL.
    ///
    /// Its query may hold secrets, which `description` leaves out.
    package let url: String

    /// The header Host of the requests, in lower case; nil if they have no such header, or if it names the URL's host.
    ///
    /// Several sites may share one address. Then only the header Host tells the sites apart.
    package let host: String?

    /// Creates a key; nil unless the URL is absolute and http or https.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - host: The header Host of the requests; nil if they don't set one.
    package init?(_ url: URL, host: String? = nil) {
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

    /// The key as a text, for a store that names its entries.
    ///
    /// The text is the URL, after the header Host and a space if there is one. It may hold secrets, such as a token in the
    /// query, so don't log it.
    public var text: String { host.map { "\($0) \(url)" } ?? url }

    /// Creates a key from its ``text``; nil if it isn't one.
    public init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard let last = parts.last, let url = URL(string: String(last)) else { return nil }
        self.init(url, host: parts.count > 1 ? String(parts[0]) : nil)
        guard self.text == text else { return nil }
    }
}

extension CacheKey {
    /// Returns whether the URL has the other's origin, and a path below it.
    ///
    /// Whole segments count: "/a/b" is below "/a", and "/ab" isn't. Queries and user info don't count.
    func isUnder(_ other: CacheKey) -> Bool {
        guard let (origin, path) = place, let (root, beginning) = other.place, origin == root else {
            return false
        }
        let folder = beginning.hasSuffix("/") ? beginning : beginning + "/"
        return path == beginning || path.utf8.starts(with: folder.utf8)
    }

    private var place: (origin: HTTPOrigin, path: String)? {
        guard let url = URL(string: url), let origin = HTTPOrigin(url),
            let parts = AbsoluteURL(url)
        else { return nil }
        return (origin, String(parts.path))
    }

    package var byteCount: Int { url.utf8.count + (host?.utf8.count ?? 0) }
}

extension CacheKey: DescriptionOnly {
    /// The URL without user info and without the values of its query.
    public var description: String { URL(string: url).map(SafeText.redacted) ?? "a key" }
}
