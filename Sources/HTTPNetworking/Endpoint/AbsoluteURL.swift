#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The parts of an absolute http or https URL, percent-encoded as they were.
package struct AbsoluteURL {
    let schemeAndAuthority: String
    package let path: Substring
    package let query: Substring?

    /// Takes a URL apart, or returns nil where it is no absolute http or https URL with a host.
    package init?(_ url: URL) {
        // It is ASCII, and done for each request: bytes are found faster than characters.
        let whole = url.absoluteString
        let text = whole[..<(whole.utf8.firstIndex(of: UInt8(ascii: "#")) ?? whole.endIndex)]
        guard Self.isMeant(by: text), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        let authorityStart = text.utf8.index(colon, offsetBy: 3)
        let authorityEnd =
            text[authorityStart...].utf8.firstIndex {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
            } ?? text.endIndex
        guard Self.isValid(authority: text[authorityStart..<authorityEnd]) else { return nil }
        // URLSession on Linux knows the schemes in lower case only.
        schemeAndAuthority = text[..<colon].lowercased() + text[colon..<authorityEnd]
        let rest = text[authorityEnd...]
        let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
        path = rest[..<(mark ?? rest.endIndex)]
        query = mark.map { rest[rest.utf8.index(after: $0)...] }
    }

    /// Whether a text begins as an absolute http or https URL does.
    static func isMeant(by text: some StringProtocol) -> Bool {
        let start = text.utf8.prefix(8).map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        return start.starts(with: "http://".utf8) || start.elementsEqual("https://".utf8)
    }

    /// Whether an authority has a host that can be looked up, and a port that can be connected to.
    private static func isValid(authority: Substring) -> Bool {
        let at = authority.utf8.lastIndex(of: UInt8(ascii: "@"))
        let place = at.map { authority[authority.utf8.index(after: $0)...] } ?? authority
        let hostEnd =
            place.hasPrefix("[")
            ? place.firstIndex(of: "]").map { place.index(after: $0) } ?? place.startIndex
            : place.firstIndex(of: ":") ?? place.endIndex
        let host = place[..<hostEnd]
        let port = place[hostEnd...].dropFirst()
        guard !host.isEmpty, host != "[]", host.hasPrefix("[") || !host.contains("%") else {
            return false
        }
        return port.isEmpty || Int(port).map { (0...65535).contains($0) } ?? false
    }

    /// The whole URL with a path and a query appended.
    func text(appending path: String, _ items: [URLQueryItem]) -> String {
        var text = String(schemeAndAuthority + self.path)
        if !path.isEmpty {
            if text.utf8.count > schemeAndAuthority.utf8.count, text.hasSuffix("/") {
                text.removeLast()
            }
            if !path.utf8.starts(with: "/".utf8) { text += "/" }
            text += PercentEncoding.path.encode(path)
        }
        var parts = items.map { item in
            let name = PercentEncoding.query.encode(item.name)
            return item.value.map { "\(name)=\(PercentEncoding.query.encode($0))" } ?? name
        }
        if let query, !query.isEmpty || parts.isEmpty { parts.insert(String(query), at: 0) }
        return parts.isEmpty ? text : "\(text)?\(parts.joined(separator: "&"))"
    }
}
