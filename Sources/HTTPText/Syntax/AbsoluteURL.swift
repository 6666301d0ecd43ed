/// The parts of an absolute http or https URL, with their percent-encoding unchanged.
package struct AbsoluteURL {
    package let schemeAndAuthority: Substring
    package let path: Substring
    package let query: Substring?

    /// Parses a URL; nil unless it is an absolute http or https URL with a host.
    package init?(_ url: URL) {
        var text = url.absoluteString
        guard let offsets = text.withUTF8(URLPartOffsets.init) else { return nil }
        let at = { [text] in text.utf8.index(text.startIndex, offsetBy: $0) }
        let scheme = text[..<at(offsets.colon)]
        let isLowercase = scheme.utf8.allSatisfy { $0 & 0x20 != 0 }
        // URLSession on Linux accepts only lower-case schemes.
        schemeAndAuthority =
            isLowercase
            ? text[..<at(offsets.path)]
            : scheme.lowercased() + text[at(offsets.colon)..<at(offsets.path)]
        path = text[at(offsets.path)..<at(offsets.mark ?? offsets.end)]
        query = offsets.mark.map { text[at($0 + 1)..<at(offsets.end)] }
    }

    /// Returns whether a URL is an absolute http or https URL with a host.
    package static func isOne(_ url: URL) -> Bool {
        var text = url.absoluteString
        return text.withUTF8(URLPartOffsets.init) != nil
    }

    /// Returns whether a text is a host, with or without a port.
    package static func isHost(_ text: String) -> Bool {
        var url = "http://" + text
        let count = url.utf8.count
        return url.withUTF8(URLPartOffsets.init)?.path == count
            && !text.utf8.contains { " ,;@\t".utf8.contains($0) }
    }

    package static func isSecure(_ url: URL) -> Bool {
        var text = url.absoluteString
        return text.withUTF8(URLPartOffsets.schemeLength) == 5
    }

    /// The part of an absolute URL before its path, unchanged; empty for any other URL.
    package static func schemeAndAuthority(of url: URL) -> String {
        var text = url.absoluteString
        return text.withUTF8 { bytes in
            String(decoding: bytes.prefix(URLPartOffsets(bytes)?.path ?? 0), as: UTF8.self)
        }
    }

    /// The whole URL with a percent-encoded path and query appended.
    package func text(appending pathAndQuery: String) -> String {
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

/// The offsets of the parts of an absolute URL, in bytes from its beginning.
///
/// Searching bytes is faster than searching characters. The speed matters, because the URL of every request is parsed
/// before the request is sent.
package struct URLPartOffsets {
    package let colon: Int
    package let path: Int
    /// The offset of the question mark before the query; nil without a query.
    let mark: Int?
    /// The offset of the fragment's "#"; without a fragment, the URL's end.
    package let end: Int

    /// Finds the parts; nil unless the text is an absolute http or https URL with a host.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let colon = Self.schemeLength(of: bytes) else { return nil }
        self.colon = colon
        let authority = bytes[(colon + 3)...].prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        guard Self.isValid(authority: authority) else { return nil }
        path = authority.endIndex
        end = bytes[path...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        mark = bytes[path..<end].firstIndex(of: UInt8(ascii: "?"))
    }

    /// The length of the scheme, in bytes; nil if the text does not begin like an http or https URL.
    static func schemeLength(of text: some Collection<UInt8>) -> Int? {
        var start = text.makeIterator()
        for expected in "http".utf8 where start.next().map(lowercased) != expected { return nil }
        var next = start.next()
        let isSecure = next.map(lowercased) == UInt8(ascii: "s")
        if isSecure { next = start.next() }
        guard next == UInt8(ascii: ":"), start.next() == UInt8(ascii: "/"),
            start.next() == UInt8(ascii: "/")
        else { return nil }
        return isSecure ? 5 : 4
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (65...90).contains(byte) ? byte | 0x20 : byte
    }

    /// Returns whether an authority has a host that can be looked up, and either a valid port or none.
    private static func isValid(authority: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let user = authority.lastIndex(of: UInt8(ascii: "@"))
        let place = authority[(user.map { $0 + 1 } ?? authority.startIndex)...]
        guard place.first == UInt8(ascii: "[") else {
            let host = place.prefix { $0 != UInt8(ascii: ":") }
            return !host.isEmpty && !host.contains(UInt8(ascii: "%"))
                && isValid(port: place[host.endIndex...])
        }
        let host = place.prefix { $0 != UInt8(ascii: "]") }
        return host.count > 1 && host.endIndex < place.endIndex
            && isValid(port: place[(host.endIndex + 1)...])
    }

    /// Returns whether the text after a host is empty, a colon alone, or a colon and a valid port.
    private static func isValid(port: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard port.first ?? UInt8(ascii: ":") == UInt8(ascii: ":") else { return false }
        var number = 0
        for byte in port.dropFirst() {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return false }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
            if number > 65_535 { return false }
        }
        return true
    }
}
