import PledgeHTTPText

/// A URL reference, as in a Location header (RFC 3986, section 4.1).
///
/// It is parsed byte by byte. A "/" and a combining mark after it form one character, so a search for the character "/"
/// would miss it. Existing escapes do not change; characters that a URL does not allow are escaped.
package struct URLReference {
    private var scheme: [UInt8]?
    private var authority: [UInt8]?
    private var path: [UInt8]
    private var query: [UInt8]?
    private var fragment: [UInt8]?

    /// Parses a text (RFC 3986, appendix B).
    init(_ text: String) { self.init(Array(text.utf8)) }

    /// Parses bytes, which need not be UTF-8.
    package init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        if let end = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = PercentEncoding.literal.encode(rest[end...].dropFirst())
            rest = rest[..<end]
        }
        if let end = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = PercentEncoding.literal.encode(rest[end...].dropFirst())
            rest = rest[..<end]
        }
        if let end = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<end]) {
            scheme = Array(rest[..<end])
            rest = rest[end...].dropFirst()
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = Array(rest[..<end])
            rest = rest[end...]
        }
        path = PercentEncoding.literal.encode(rest)
    }

    /// Returns the absolute URL of this reference, relative to a base (RFC 3986, section 5.2.2).
    ///
    /// If the reference has no fragment, the result has the base's fragment (RFC 9110, section 10.2.2). Userinfo is
    /// kept only if it comes from the base, because a reference must not decide which user a request is for.
    ///
    /// - Returns: Nil if the result is not an absolute http or https URL with a valid host.
    package func resolved(against base: URL) -> URL? {
        let base = URLReference(base.absoluteString)
        var target = self
        target.fragment = fragment ?? base.fragment
        if scheme != nil || authority != nil {
            target.scheme = scheme ?? base.scheme
            guard let authority, let place = Self.place(of: authority) else { return nil }
            target.authority = place
        } else {
            target.scheme = base.scheme
            target.authority = base.authority
            if path.isEmpty {
                target.path = base.path
                target.query = query ?? base.query
            } else if path.first != UInt8(ascii: "/") {
                target.path = base.directory + path
            }
        }
        target.path = Self.withoutDots(target.path)
        return target.url
    }

    /// The URL, if Foundation parses it without changing it.
    private var url: URL? {
        var bytes = (scheme ?? []) + Array("://".utf8) + (authority ?? []) + path
        if let query { bytes += [UInt8(ascii: "?")] + query }
        if let fragment { bytes += [UInt8(ascii: "#")] + fragment }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let url = URL(string: text), url.absoluteString == text, AbsoluteURL.isOne(url)
        else {
            return nil
        }
        return url
    }

    /// The path up to and including its last "/", where a relative path is appended.
    private var directory: [UInt8] {
        path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[...$0]) } ?? [UInt8(ascii: "/")]
    }

    /// Returns a path without its "." and ".." segments (RFC 3986, section 5.2.4).
    ///
    /// Complexity: linear in its length.
    private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
        guard path.first == UInt8(ascii: "/") else { return path }
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for segment in segments {
            let goesUp = segment.elementsEqual("..".utf8)
            if goesUp { _ = kept.popLast() }
            if !goesUp, !segment.elementsEqual(".".utf8) {
                kept.append(segment)
            } else if segment.endIndex == path.endIndex {
                kept.append([])
            }
        }
        return kept.flatMap { [UInt8(ascii: "/")] + $0 }
    }

    /// Returns an authority without its userinfo; nil unless it is a host with an optional port.
    private static func place(of authority: [UInt8]) -> [UInt8]? {
        let parts = authority.split(
            separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        // Userinfo is checked too, because parsers disagree about the host if "\" or "/" precedes an "@".
        guard parts.count <= 2, let place = parts.last.flatMap(ascii),
            place.allSatisfy(isOfAuthority),
            parts.dropLast().joined().allSatisfy({ isOfAuthority($0) || $0 == UInt8(ascii: "%") })
        else { return nil }
        return place
    }

    /// Returns a host and its port in ASCII, with a Unicode host in its IDNA form (RFC 5891).
    ///
    /// - Returns: Nil if the platform does not support IDNA.
    private static func ascii(_ place: ArraySlice<UInt8>) -> [UInt8]? {
        if place.allSatisfy({ $0 < 0x80 }) { return Array(place) }
        // Foundation supports IDNA; FoundationEssentials alone percent-encodes the host instead.
        guard let text = String(validating: place, as: UTF8.self),
            let url = URL(string: "http://\(text)/")
        else { return nil }
        return Array(AbsoluteURL.schemeAndAuthority(of: url).utf8.dropFirst("http://".utf8.count))
    }

    private static func isOfAuthority(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-._~!$&'()*+,;=:[]".utf8.contains(byte)
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first?.isLetter ?? false
            && bytes.allSatisfy { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
    }
}

extension HTTPHeaders {
    /// The URL of Location, relative to the request's URL; nil if there is none, or if several differ.
    package func location(from url: URL) -> URL? {
        let locations = Set(received("Location"))
        guard locations.count == 1, let bytes = locations.first?.bytes else { return nil }
        return URLReference(bytes).resolved(against: url)
    }
}
