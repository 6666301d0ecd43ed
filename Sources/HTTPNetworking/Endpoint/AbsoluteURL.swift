/// The parts of an absolute http or https URL, percent-encoded as they were.
package struct AbsoluteURL {
    package let schemeAndAuthority: String
    package let path: Substring
    package let query: Substring?

    /// Parses a URL, or returns nil if it is not an absolute http or https URL with a host.
    package init?(_ url: URL) {
        var text = url.absoluteString
        guard let offsets = text.withUTF8(URLPartOffsets.init) else { return nil }
        let at = { [text] in text.utf8.index(text.startIndex, offsetBy: $0) }
        // URLSession on Linux accepts only lower-case schemes.
        schemeAndAuthority =
            text[..<at(offsets.colon)].lowercased() + text[at(offsets.colon)..<at(offsets.path)]
        path = text[at(offsets.path)..<at(offsets.mark ?? offsets.end)]
        query = offsets.mark.map { text[at($0 + 1)..<at(offsets.end)] }
    }

    /// Whether a URL is an absolute http or https URL with a host.
    static func isOne(_ url: URL) -> Bool {
        var text = url.absoluteString
        return text.withUTF8(URLPartOffsets.init) != nil
    }

    /// Whether a text is a host, with or without a port.
    static func isHost(_ text: String) -> Bool {
        var url = "http://" + text
        let count = url.utf8.count
        return url.withUTF8(URLPartOffsets.init)?.path == count
            && !text.utf8.contains { " ,;@\t".utf8.contains($0) }
    }

    /// Whether an absolute URL is one of https.
    package static func isSecure(_ url: URL) -> Bool {
        var text = url.absoluteString
        return text.withUTF8(URLPartOffsets.schemeLength) == 5
    }

    /// The part before the path of an absolute URL, unchanged; empty if it is not such a URL.
    package static func schemeAndAuthority(of url: URL) -> String {
        var text = url.absoluteString
        return text.withUTF8 { bytes in
            String(decoding: bytes.prefix(URLPartOffsets(bytes)?.path ?? 0), as: UTF8.self)
        }
    }

    /// The whole URL with a path and a query appended, which are percent-encoded.
    func text(appending pathAndQuery: String) -> String {
        let end = pathAndQuery.utf8.firstIndex(of: UInt8(ascii: "?")) ?? pathAndQuery.endIndex
        let path = pathAndQuery[..<end]
        let own = pathAndQuery[end...].dropFirst()
        var text = ""
        text.reserveCapacity(
            schemeAndAuthority.utf8.count + self.path.utf8.count + (query?.utf8.count ?? 0)
                + pathAndQuery.utf8.count + 3)
        text += schemeAndAuthority
        text += !path.isEmpty && self.path.hasSuffix("/") ? self.path.dropLast() : self.path
        if !path.isEmpty, !path.utf8.starts(with: "/".utf8) { text += "/" }
        text += path
        guard query != nil || end < pathAndQuery.endIndex else { return text }
        text += "?"
        if let query, !query.isEmpty { text += own.isEmpty ? query : query + "&" }
        return text + own
    }
}
