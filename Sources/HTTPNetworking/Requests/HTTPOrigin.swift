/// Scheme, host and port of a URL (RFC 9110, section 4.3.1).
///
/// Scheme and host are compared case-insensitively, and a missing port is the default one.
public struct HTTPOrigin {
    /// "http" or "https".
    public let scheme: String

    /// The host in lower case, brackets of an IPv6 address included.
    public let host: String

    /// The port.
    public let port: Int

    /// Makes the origin of a URL, or returns nil if that is not an absolute http or https URL with a host.
    public init?(_ url: URL) {
        var text = url.absoluteString
        guard let origin = text.withUTF8(HTTPOrigin.init) else { return nil }
        self = origin
    }

    /// Several middleware need the origin of each request: bytes are faster to read than characters.
    private init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let offsets = URLPartOffsets(bytes) else { return nil }
        scheme = offsets.colon == 5 ? "https" : "http"
        let authority = bytes[(offsets.colon + 3)..<offsets.path]
        let start =
            authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex
        let isLiteral = authority[start...].first == UInt8(ascii: "[")
        let end = authority[start...].firstIndex(of: UInt8(ascii: isLiteral ? "]" : ":"))
        let hostEnd = end.map { isLiteral ? $0 + 1 : $0 } ?? authority.endIndex
        let host = String(decoding: bytes[start..<hostEnd], as: UTF8.self)
        // Most hosts are in lower case; `lowercased` would go through Unicode's tables for them too.
        let isLower = bytes[start..<hostEnd].allSatisfy { $0 < 0x80 && !(65...90).contains($0) }
        self.host = isLower ? host : host.lowercased()
        let digits = bytes[hostEnd..<offsets.path].dropFirst()
        let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        self.port = digits.isEmpty ? (scheme == "https" ? 443 : 80) : port
    }
}

extension HTTPRequest {
    /// Scheme, host and port of the URL; nil where that is no absolute http or https URL.
    ///
    /// A key for `.keyed(by: \.origin)`. It takes time in proportion to the URL's length.
    public var origin: HTTPOrigin? { HTTPOrigin(url) }
}

extension HTTPOrigin: CustomStringConvertible {
    /// Like "https://example.com:443".
    public var description: String { "\(scheme)://\(host):\(port)" }
}

extension HTTPOrigin: Hashable {}

extension HTTPOrigin: Sendable {}
