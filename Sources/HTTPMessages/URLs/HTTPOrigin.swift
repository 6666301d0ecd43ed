import PledgeHTTPText

/// The scheme, host and port of a URL (RFC 9110, section 4.3.1).
///
/// Scheme and host are case-insensitive, and a missing port means the default one.
public struct HTTPOrigin: Hashable, Sendable {
    /// "http" or "https".
    public let scheme: String

    /// The host in lower case; an IPv6 address keeps its brackets.
    public let host: String

    /// The port.
    public let port: Int

    /// Creates the origin of a URL; nil unless it is an absolute http or https URL with a host.
    public init?(_ url: URL) {
        var text = url.absoluteString
        guard let origin = text.withUTF8(HTTPOrigin.init) else { return nil }
        self = origin
    }

    /// Parses bytes, which is faster than parsing characters; the origin of each request is read several times.
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
        // Most hosts are in lower case already, and `lowercased` would look up each character in Unicode's tables.
        let isLower = bytes[start..<hostEnd].allSatisfy { $0 < 0x80 && !(65...90).contains($0) }
        self.host = isLower ? host : host.lowercased()
        let digits = bytes[hostEnd..<offsets.path].dropFirst()
        let port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        self.port = digits.isEmpty ? (scheme == "https" ? 443 : 80) : port
    }
}

extension HTTPRequest {
    /// The scheme, host and port of the URL; nil unless it is an absolute http or https URL.
    ///
    /// Use it as a key: `.keyed(by: \.origin)`. It takes time linear in the length of the URL.
    public var origin: HTTPOrigin? { HTTPOrigin(url) }
}

extension HTTPOrigin: CustomStringConvertible {
    /// The origin as a text, such as "https://example.com:443".
    public var description: String { "\(scheme)://\(host):\(port)" }
}

extension HTTPOrigin {
    /// True if the host is known to be on this machine or in a private network.
    ///
    /// The host is then one of these:
    /// - An address that is not globally reachable (RFC 6890 and IANA's registries): private, loopback, link-local,
    ///   shared or reserved. IPv4 is read in every form that clients accept, such as `0x7f.1`, `2130706433` and
    ///   `0177.0.0.1`, also inside IPv6.
    /// - A number, or a text in brackets, that is not an address. Clients disagree about its meaning.
    /// - `localhost` or a name below it, or a name below `local`, `internal` or `home.arpa`.
    ///
    /// Any other name counts as not private, because only the resolver knows its address.
    package var isPrivate: Bool {
        if host.hasPrefix("[") {
            return IPAddress(v6: host.dropFirst().dropLast())?.isPrivate ?? true
        }
        let name = host.hasSuffix(".") ? host.dropLast() : host[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let last = labels.last ?? ""
        if let address = IPAddress(v4: name) { return address.isPrivate }
        return ["localhost", "local", "internal"].contains(last)
            || labels.suffix(2) == ["home", "arpa"]
            || IPAddress(v4: last) != nil || last.allSatisfy(\.isNumber)
    }

    /// Returns whether a peer's address is known to be on this machine or in a private network.
    ///
    /// The address has no brackets. A text that is not an address counts as private.
    package static func isPrivate(address: String) -> Bool {
        let address = IPAddress(v4: address[...]) ?? IPAddress(v6: address[...])
        return address?.isPrivate ?? true
    }
}

extension HTTPError {
    /// The reason not to follow a redirect into a private network.
    package static let privateNetwork = "it leads into a private network"
}

/// The origins that may receive a secret, or the headers of a trace.
///
/// Name the servers that a token is for, because a redirect, or a URL in a response, may lead anywhere.
public struct HTTPOrigins: Sendable {
    private let isMember: @Sendable (HTTPOrigin) -> Bool

    /// Creates the set of the given URLs' origins.
    ///
    /// Only absolute http and https URLs have an origin; others are left out.
    public static func origins(of urls: URL...) -> HTTPOrigins {
        let members = Set(urls.compactMap(HTTPOrigin.init))
        return HTTPOrigins { members.contains($0) }
    }

    /// Creates a set of the origins for which a function returns true.
    ///
    /// - Parameter isMember: Called with each request's origin, on the caller's thread. Compare the whole scheme and
    ///   the whole host: "example.com.evil.net" begins with "example.com", and "notexample.com" ends with it.
    public static func origins(
        where isMember: @escaping @Sendable (HTTPOrigin) -> Bool
    ) -> HTTPOrigins { HTTPOrigins(isMember: isMember) }

    /// Every origin, even over http, and even if only a redirect leads there.
    public static let all = HTTPOrigins { _ in true }

    /// Returns whether the set contains the origin of a URL.
    public func contains(_ url: URL) -> Bool { HTTPOrigin(url).map(isMember) ?? false }

    /// Returns whether a request may carry a secret for these origins.
    ///
    /// The set must contain the origin of the request's URL, and the origin of each URL that redirected to it.
    /// Otherwise an origin outside the set could choose what is requested with a secret.
    package func contains(_ request: HTTPRequest) -> Bool {
        contains(request.url) && request.context.redirectingOrigins.allSatisfy(isMember)
    }

    func contains(_ origin: HTTPOrigin) -> Bool { isMember(origin) }
}

/// An IP address that stands in a URL instead of a host name.
package enum IPAddress: Equatable {
    case v4(UInt32)
    /// Eight groups of 16 bits.
    case v6([UInt16])

    /// True if the address is not globally reachable, according to IANA's registries (RFC 6890).
    ///
    /// It is then private, loopback, link-local, shared, reserved, multicast, or for documentation or benchmarks. An
    /// IPv6 address that embeds an IPv4 address (mapped, NAT64, 6to4) is classified by the embedded one.
    var isPrivate: Bool {
        switch self {
        case .v4(let bits):
            return Self.privateBlocks.contains { bits >> (32 - $1) == $0 >> (32 - $1) }
        case .v6(let groups):
            let isMapped = groups[..<6] == [0, 0, 0, 0, 0, 0xFFFF]
            if isMapped || groups[..<6] == [0x64, 0xFF9B, 0, 0, 0, 0] {
                return Self.v4(groups[6], groups[7]).isPrivate
            }
            switch (groups[0], groups[1]) {
            case (0x2002, _): return Self.v4(groups[1], groups[2]).isPrivate
            case (0x2001, ..<0x200), (0x2001, 0xDB8), (0x3FFF, ..<0x1000): return true
            // Global unicast addresses begin with the bits 001. Any other address counts as private.
            case (let first, _): return first >> 13 != 1
            }
        }
    }

    /// The blocks of private addresses, each as its first address and the length of its prefix, in bits.
    private static let privateBlocks: [(UInt32, UInt32)] = [
        (0, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
        (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24),
        (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24),
        (0xE000_0000, 3),
    ]

    private static func v4(_ high: UInt16, _ low: UInt16) -> IPAddress {
        .v4(UInt32(high) << 16 | UInt32(low))
    }
}

// MARK: - Reading

extension IPAddress {
    /// Reads an IPv4 address in every form that clients accept (WHATWG's URL standard, section 3.5).
    ///
    /// These are up to four numbers: decimal, octal after "0", or hexadecimal after "0x". The last number fills the
    /// remaining bytes.
    ///
    /// - Returns: Nil if a number is invalid or too large.
    package init?(v4 text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap(Self.number)
        guard numbers.count == parts.count, parts.count <= 4, let last = numbers.last,
            numbers.dropLast().allSatisfy({ $0 < 256 }),
            last < 1 << UInt64(8 * (5 - parts.count))
        else { return nil }
        self = .v4(
            numbers.dropLast().enumerated().reduce(UInt32(last)) { bits, part in
                bits | UInt32(part.element) << UInt32(24 - 8 * part.offset)
            })
    }

    /// Reads an IPv6 address without brackets (RFC 4291, section 2.2), ignoring a zone after "%".
    package init?(v6 text: Substring) {
        let text = String(text.prefix { $0 != "%" })
        if let gap = text.firstRange(of: "::") {
            guard let head = Self.groups(text[..<gap.lowerBound]),
                let tail = Self.groups(text[gap.upperBound...]), head.count + tail.count < 8
            else { return nil }
            let zeros = [UInt16](repeating: 0, count: 8 - head.count - tail.count)
            self = .v6(head + zeros + tail)
        } else {
            guard let groups = Self.groups(text[...]), groups.count == 8 else { return nil }
            self = .v6(groups)
        }
    }

    private static func groups(_ text: Substring) -> [UInt16]? {
        if text.isEmpty { return [] }
        var groups: [UInt16] = []
        for part in text.split(separator: ":", omittingEmptySubsequences: false) {
            if part.endIndex == text.endIndex, case .v4(let bits) = IPAddress(v4: part),
                part.contains(".")
            {
                groups += [UInt16(bits >> 16), UInt16(truncatingIfNeeded: bits)]
            } else {
                guard part.utf8.count <= 4, part.first?.isHexDigit == true,
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        return groups
    }

    private static func number(_ text: Substring) -> UInt64? {
        let isHex = text.hasPrefix("0x") || text.hasPrefix("0X")
        if isHex, text.utf8.count == 2 { return 0 }
        let digits = text.dropFirst(isHex ? 2 : 0)
        guard digits.first?.isHexDigit == true else { return nil }
        return UInt64(digits, radix: isHex ? 16 : digits.first == "0" ? 8 : 10)
    }
}
