public import PledgeHTTPNetworking

/// A cookie as a jar keeps it (RFC 6265, section 5.3).
///
/// A server makes one by the header Set-Cookie; see ``CookieJar/store(_:from:)-(String,_)`` for
/// making one yourself. Its text does not show the value.
public struct Cookie {
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

extension Cookie: Hashable {}

extension Cookie: Sendable {}
