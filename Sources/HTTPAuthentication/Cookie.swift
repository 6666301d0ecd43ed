public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPText

/// A cookie in a jar (RFC 6265, section 5.3).
///
/// Servers make cookies with the header Set-Cookie. To make one yourself, use ``CookieJar/store(_:from:)-(String,_)``.
/// The description doesn't show the value.
public struct Cookie: Hashable, Sendable {
    /// The name.
    public let name: String

    /// The value that the server expects back, often a secret.
    ///
    /// A value that isn't UTF-8 is shown as ISO-8859-1, and sent back byte for byte.
    public let value: String

    /// True if each character of name and value stands for one byte, because the server's bytes weren't UTF-8.
    var isLatin1 = false

    /// The host of the cookie, in lower case, without a leading dot.
    public let domain: String

    /// True if the cookie is sent only to the host in ``domain``, and not to its subdomains.
    public let isHostOnly: Bool

    /// The path that gets the cookie, together with all paths below it.
    public let path: String

    /// The date on which the cookie expires; nil for a session cookie.
    public let expires: Date?

    /// True if the cookie is sent over https only.
    public let isSecure: Bool

    /// True if the server hides the cookie from scripts.
    ///
    /// This property has no effect, because there are no scripts here.
    public let isHTTPOnly: Bool

    /// The sites whose requests may carry the cookie.
    ///
    /// This property has no effect, because an app's requests don't come from a site.
    public let sameSite: SameSite?

    /// The sites whose requests may carry a cookie.
    public enum SameSite: String, Sendable, Hashable, Codable, CaseIterable {
        /// Requests from the cookie's own site.
        case strict
        /// Requests from the cookie's own site, and navigation from other sites.
        case lax
        /// Requests from all sites.
        case none
    }
}

extension Cookie {
    /// "name=value" as bytes for the header Cookie; nil if a character of a Latin-1 cookie doesn't fit in one byte.
    var pair: [UInt8]? {
        let text = "\(name)=\(value)"
        return isLatin1 ? HTTPHeaders.bytes(ofLatin1: text) : Array(text.utf8)
    }

    func isOver(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    func isFor(_ place: CookieURL) -> Bool {
        let isItsHost =
            place.host == domain
            || !isHostOnly && CookieDomain.matches(host: place.host, domain: domain)
        return isItsHost && (!isSecure || place.isSecure)
            && CookiePath.matches(request: place.path, cookie: path)
    }

    /// True if a server could have sent this decoded cookie.
    var canBeSent: Bool {
        guard let pair, !name.isEmpty, HTTPHeaders.isValid(bytes: pair) else { return false }
        return !pair.contains(UInt8(ascii: ";")) && !name.utf8.contains(UInt8(ascii: "="))
            && path.utf8.first == UInt8(ascii: "/") && !domain.isEmpty
    }

    /// Returns whether the cookie replaces another one: name, domain and path are equal.
    func replaces(_ other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path
    }
}

extension Cookie: DescriptionOnly {
    /// The name, host and path, with "…" in place of the value.
    public var description: String {
        let place = "\(isHostOnly ? "" : "*.")\(domain)\(path)"
        return "\(SafeText.escaped(name))=… for \(SafeText.escaped(place))"
    }
}

extension Cookie: Codable {
    private enum Key: String, CodingKey {
        case name, value, isLatin1, domain, isHostOnly, path, expires, isSecure, isHTTPOnly
        case sameSite
    }

    /// Decodes a cookie, including its value.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        name = try fields.decode(String.self, forKey: .name)
        value = try fields.decode(String.self, forKey: .value)
        isLatin1 = try fields.decodeIfPresent(Bool.self, forKey: .isLatin1) ?? false
        domain = try fields.decode(String.self, forKey: .domain)
        isHostOnly = try fields.decode(Bool.self, forKey: .isHostOnly)
        path = try fields.decode(String.self, forKey: .path)
        expires = try fields.decodeIfPresent(Int64.self, forKey: .expires)
            .map { Date(secondsSince1970: $0) }
        isSecure = try fields.decode(Bool.self, forKey: .isSecure)
        isHTTPOnly = try fields.decode(Bool.self, forKey: .isHTTPOnly)
        sameSite = try fields.decodeIfPresent(SameSite.self, forKey: .sameSite)
    }

    /// Encodes a cookie, including its value; the date when it expires is in seconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(name, forKey: .name)
        try fields.encode(value, forKey: .value)
        if isLatin1 { try fields.encode(true, forKey: .isLatin1) }
        try fields.encode(domain, forKey: .domain)
        try fields.encode(isHostOnly, forKey: .isHostOnly)
        try fields.encode(path, forKey: .path)
        try fields.encodeIfPresent(expires?.secondsSince1970, forKey: .expires)
        try fields.encode(isSecure, forKey: .isSecure)
        try fields.encode(isHTTPOnly, forKey: .isHTTPOnly)
        try fields.encodeIfPresent(sameSite, forKey: .sameSite)
    }
}

/// A URL's parts that decide which cookies it gets.
struct CookieURL {
    /// The host, in lower case.
    let host: String
    /// The path as it's sent: at least "/".
    let path: String
    /// True for https.
    let isSecure: Bool

    /// Returns nil unless the URL is absolute and http or https.
    init?(_ url: URL) {
        guard let origin = HTTPOrigin(url), let parts = AbsoluteURL(url) else { return nil }
        host = origin.host
        path = parts.path.isEmpty ? "/" : String(parts.path)
        isSecure = origin.scheme == "https"
    }
}

enum CookieDomain {
    /// Returns whether a host is the domain or one of its subdomains (RFC 6265, section 5.1.3).
    ///
    /// An IP address has no subdomains. Both arguments must be in lower case.
    static func matches(host: String, domain: String) -> Bool {
        if host == domain { return true }
        return host.utf8.count > domain.utf8.count + 1 && host.hasSuffix(".\(domain)")
            && !domain.isEmpty && !isAddress(host)
    }

    /// Returns whether a host is an IP address: it has brackets, or its last part is a number.
    static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") { return true }
        let last = host.utf8.split(separator: UInt8(ascii: ".")).last ?? host.utf8[...]
        return !last.isEmpty && last.allSatisfy(\.isDigit)
    }

    static func isSingleLabel(_ domain: String) -> Bool {
        !domain.utf8.contains(UInt8(ascii: "."))
    }
}

enum CookiePath {
    /// The default path of a cookie: the request's path without its last segment (RFC 6265, section 5.1.4).
    static func standard(for request: String) -> String {
        guard request.utf8.first == UInt8(ascii: "/"),
            let last = request.utf8.lastIndex(of: UInt8(ascii: "/")),
            last != request.startIndex
        else { return "/" }
        return String(request[..<last])
    }

    /// Returns whether a request's path is the cookie's path or below it (RFC 6265, section 5.1.4).
    static func matches(request: String, cookie: String) -> Bool {
        guard request.utf8.starts(with: cookie.utf8) else { return false }
        let rest = request.utf8.dropFirst(cookie.utf8.count)
        return rest.isEmpty || cookie.utf8.last == UInt8(ascii: "/")
            || rest.first == UInt8(ascii: "/")
    }
}
