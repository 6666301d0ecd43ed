#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The parts of an absolute http or https URL, percent-encoded as they were.
package struct AbsoluteURL {
    package let schemeAndAuthority: String
    package let path: Substring
    package let query: Substring?

    /// Takes a URL apart, or returns nil where it is no absolute http or https URL with a host.
    package init?(_ url: URL) {
        var text = url.absoluteString
        guard let places = text.withUTF8(URLPlaces.init) else { return nil }
        let at = { [text] in text.utf8.index(text.startIndex, offsetBy: $0) }
        // URLSession on Linux knows the schemes in lower case only.
        schemeAndAuthority =
            text[..<at(places.colon)].lowercased() + text[at(places.colon)..<at(places.path)]
        path = text[at(places.path)..<at(places.mark ?? places.end)]
        query = places.mark.map { text[at($0 + 1)..<at(places.end)] }
    }

    /// Whether a URL is an absolute http or https URL with a host.
    static func isOne(_ url: URL) -> Bool {
        var text = url.absoluteString
        return text.withUTF8(URLPlaces.init) != nil
    }

    /// Whether an absolute URL is one of https.
    package static func isSecure(_ url: URL) -> Bool {
        var text = url.absoluteString
        return text.withUTF8(URLPlaces.schemeLength) == 5
    }

    /// What stands before the path of an absolute URL, as it is written; empty where it is none.
    package static func schemeAndAuthority(of url: URL) -> String {
        var text = url.absoluteString
        return text.withUTF8 { bytes in
            String(decoding: bytes.prefix(URLPlaces(bytes)?.path ?? 0), as: UTF8.self)
        }
    }

    /// Whether a text begins as an absolute http or https URL does.
    static func isMeant(by text: some StringProtocol) -> Bool {
        URLPlaces.schemeLength(of: text.utf8) != nil
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
