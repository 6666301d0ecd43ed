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
        let text = url.absoluteString.prefix { $0 != "#" }
        guard Self.isMeant(by: text), let colon = text.firstIndex(of: ":") else { return nil }
        let authorityStart = text.index(colon, offsetBy: 3)
        let authorityEnd =
            text[authorityStart...].firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        guard Self.isValid(authority: text[authorityStart..<authorityEnd]) else { return nil }
        // URLSession on Linux knows the schemes in lower case only.
        schemeAndAuthority = text[..<colon].lowercased() + text[colon..<authorityEnd]
        let rest = text[authorityEnd...]
        path = rest.prefix { $0 != "?" }
        query = rest.firstIndex(of: "?").map { rest[rest.index(after: $0)...] }
    }

    /// Whether a text begins as an absolute http or https URL does.
    static func isMeant(by text: some StringProtocol) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start == "https://"
    }

    /// Whether an authority has a host that can be looked up, and a port that can be connected to.
    private static func isValid(authority: Substring) -> Bool {
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
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
