/// The offsets of the parts of an absolute URL, in bytes from its beginning.
///
/// Each request is parsed before it is sent: bytes are faster to search than characters.
struct URLPartOffsets {
    let colon: Int
    let path: Int
    /// Where the query begins with a question mark.
    let mark: Int?
    /// Where a fragment begins, or the end.
    let end: Int

    /// Finds the parts, or returns nil if the text is not an absolute http or https URL with a host.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
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

    /// How many bytes the scheme has; nil if the text does not begin like an http or https URL.
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

    /// Whether an authority has a host that can be looked up, and a port that can be connected to.
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

    /// Whether nothing follows a host, or a colon with no number or a valid port.
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
