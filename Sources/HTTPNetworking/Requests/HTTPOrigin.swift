/// Scheme, host and port: whom a secret was meant for (RFC 9110, section 4.3.1).
///
/// Compared as they are looked up: scheme and host in any case, a default port as if it stood there.
public struct HTTPOrigin {
    /// "http" or "https".
    public let scheme: String

    /// The host in lower case, brackets of an IPv6 address included.
    public let host: String

    /// The port.
    public let port: Int

    /// Makes the origin of a URL, or returns nil where that is no absolute http or https URL with a
    /// host.
    public init?(_ url: URL) {
        guard let parts = AbsoluteURL(url) else { return nil }
        let start = parts.schemeAndAuthority
        guard let colon = start.firstIndex(of: ":") else { return nil }
        scheme = String(start[..<colon])
        let authority = start[colon...].dropFirst(3)
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let hostEnd =
            place.hasPrefix("[")
            ? place.firstIndex(of: "]").map { place.index(after: $0) } ?? place.endIndex
            : place.firstIndex(of: ":") ?? place.endIndex
        host = place[..<hostEnd].lowercased()
        port = Int(place[hostEnd...].dropFirst()) ?? (scheme == "https" ? 443 : 80)
    }
}

extension HTTPRequest {
    /// Scheme, host and port of the URL; nil where that is no absolute http or https URL.
    ///
    /// A key for `.each(by: \.origin)`. It takes time in proportion to the URL's length.
    public var origin: HTTPOrigin? { HTTPOrigin(url) }
}

extension HTTPOrigin: CustomStringConvertible {
    /// Like "https://example.com:443".
    public var description: String { "\(scheme)://\(host):\(port)" }
}

extension HTTPOrigin: Hashable {}

extension HTTPOrigin: Sendable {}
