import PledgeHTTPText

/// The value of a Content-Range in bytes (RFC 9110, section 14.4).
struct ContentRange: Hashable, Sendable {
    /// The positions of the bytes in the body; nil in an answer to a range that the server can't send.
    var bytes: Range<Int64>?

    /// The size of the whole representation, in bytes; nil if the server doesn't know it.
    var total: Int64?

    /// Reads a value like `bytes 0-99/200`, `bytes 0-99/*` or `bytes */200`; nil for anything else.
    init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let total = Self.number(parts[1]) else { return nil }
            self.total = total
        }
        if parts[0] == "*" { if total == nil { return nil } else { return } }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < total ?? .max
        else { return nil }
        bytes = first..<last + 1
    }

    private static func number(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy(\.isDigit) ? Int64(text) : nil
    }
}
