public import PledgeHTTPNetworking

/// A cookie as a jar keeps it (RFC 6265, section 5.3).
///
/// A server makes one by the header Set-Cookie; see ``CookieJar/store(_:from:)-(String,_)`` for
/// making one yourself. Its text does not show the value.
public struct Cookie: Hashable, Sendable {
    /// The name.
    public let name: String

    /// The value that the server expects back; often a secret.
    ///
    /// A value that is not UTF-8 is shown as ISO-8859-1, and sent back with its own bytes.
    public let value: String

    /// Whether a character of name and value stands for a byte, since they came with bytes that are not UTF-8.
    var isLatin1 = false

    /// The host it belongs to, in lower case, without a dot in front.
    public let domain: String

    /// Whether it is sent to that host alone, and not to hosts below it.
    public let isHostOnly: Bool

    /// The path that it is sent to, with everything below.
    public let path: String

    /// When it expires; nil for a session cookie.
    public let expires: HTTPDate?

    /// Whether it is sent over https only.
    public let isSecure: Bool

    /// Whether the server forbids scripts to read it.
    ///
    /// Kept, but of no effect: there are no scripts here.
    public let isHTTPOnly: Bool

    /// The sites whose requests may carry it.
    ///
    /// Kept, but not applied: a request of an app does not come from a site.
    public let sameSite: SameSite?

    /// The sites whose requests may carry a cookie.
    public enum SameSite: String, Sendable, Hashable, Codable, CaseIterable {
        /// Requests from its own site.
        case strict
        /// Requests from its own site, and navigation from others.
        case lax
        /// Requests from all sites.
        case none
    }
}

extension Cookie {
    /// The bytes of its part of the header Cookie; nil if there are none for a character.
    var pair: [UInt8]? {
        let text = "\(name)=\(value)"
        return isLatin1 ? HTTPHeaders.bytes(ofLatin1: text) : Array(text.utf8)
    }

    /// Whether it has expired at a date.
    func isOver(at now: HTTPDate) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether it is sent to a place.
    func isFor(_ place: CookieURL) -> Bool {
        let isItsHost =
            place.host == domain
            || !isHostOnly && CookieDomain.matches(host: place.host, domain: domain)
        return isItsHost && (!isSecure || place.isSecure)
            && CookiePath.matches(request: place.path, cookie: path)
    }

    /// Whether a decoded cookie could have come from a server.
    var canBeSent: Bool {
        guard let pair, !name.isEmpty, HTTPHeaders.isValid(bytes: pair) else { return false }
        return !pair.contains(UInt8(ascii: ";")) && !name.utf8.contains(UInt8(ascii: "="))
            && path.utf8.first == UInt8(ascii: "/") && !domain.isEmpty
    }

    /// Whether it replaces another cookie: the same name, domain and path.
    func replaces(_ other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, the host and the path; "…" for the value.
    public var description: String {
        let place = "\(isHostOnly ? "" : "*.")\(domain)\(path)"
        return "\(SafeText.escaped(name))=… for \(SafeText.escaped(place))"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}

extension Cookie: Codable {
    private enum Key: String, CodingKey {
        case name, value, isLatin1, domain, isHostOnly, path, expires, isSecure, isHTTPOnly
        case sameSite
    }

    /// Reads a cookie, its value included.
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
            .map { HTTPDate(secondsSince1970: $0) }
        isSecure = try fields.decode(Bool.self, forKey: .isSecure)
        isHTTPOnly = try fields.decode(Bool.self, forKey: .isHTTPOnly)
        sameSite = try fields.decodeIfPresent(SameSite.self, forKey: .sameSite)
    }

    /// Writes a cookie, its value included; the end in seconds since 1970.
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

/// The hosts of a cookie's domain.
enum CookieDomain {
    /// Whether a host is the domain or lies below it (RFC 6265, section 5.1.3).
    ///
    /// An IP address has no subdomains. Both arguments are in lower case.
    static func matches(host: String, domain: String) -> Bool {
        if host == domain { return true }
        return host.utf8.count > domain.utf8.count + 1 && host.hasSuffix(".\(domain)")
            && !domain.isEmpty && !isAddress(host)
    }

    /// Whether a host is an IP address: one in brackets, or one whose last part is a number.
    static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") { return true }
        let last = host.utf8.split(separator: UInt8(ascii: ".")).last ?? host.utf8[...]
        return !last.isEmpty && last.allSatisfy(\.isDigit)
    }

    /// Whether a domain has one label, such as "com".
    static func isSingleLabel(_ domain: String) -> Bool {
        !domain.utf8.contains(UInt8(ascii: "."))
    }
}

/// The paths that a cookie's path matches.
enum CookiePath {
    /// The default path of a cookie: the request's path without its last segment (RFC 6265, section 5.1.4).
    static func standard(for request: String) -> String {
        guard request.utf8.first == UInt8(ascii: "/"),
            let last = request.utf8.lastIndex(of: UInt8(ascii: "/")),
            last != request.startIndex
        else { return "/" }
        return String(request[..<last])
    }

    /// Whether a request's path is a cookie's path, or is below it (the same section).
    static func matches(request: String, cookie: String) -> Bool {
        guard request.utf8.starts(with: cookie.utf8) else { return false }
        let rest = request.utf8.dropFirst(cookie.utf8.count)
        return rest.isEmpty || cookie.utf8.last == UInt8(ascii: "/")
            || rest.first == UInt8(ascii: "/")
    }
}
