import PledgeHTTPNetworking

/// Splits the values of repeated Set-Cookie fields that were joined by commas.
enum SetCookie {
    /// The cookies in a joined value, in order.
    ///
    /// Foundation joins by ", ". Such a comma lies between two cookies if it follows an attribute, and a name
    /// and "=" follow it (RFC 6265, section 4.1.1); those do not follow the comma of a date ("Wed, 21 Oct
    /// 2026"). In a value without an attribute behind it, `lang=x, sid=y` may be two cookies or one: neither
    /// is returned, because a server that lets users choose `lang` would let them set `sid`.
    static func split(_ joined: String) -> [String] {
        var cookies: [String] = []
        var rest = joined.utf8[...]
        var from = rest.startIndex
        var isAmbiguous = false
        while let comma = rest[from...].firstIndex(of: UInt8(ascii: ",")) {
            from = rest.index(after: comma)
            guard let next = cookie(after: rest[from...]) else { continue }
            guard rest[..<comma].contains(UInt8(ascii: ";")) else {
                isAmbiguous = true
                continue
            }
            if !isAmbiguous { cookies.append(String(Substring(rest[..<comma]))) }
            rest = next
            from = next.startIndex
            isAmbiguous = false
        }
        return isAmbiguous ? cookies : cookies + [String(Substring(rest))]
    }

    /// The text behind a comma without its spaces, if it may begin a cookie; nil if not.
    private static func cookie(after comma: Substring.UTF8View) -> Substring.UTF8View? {
        let next = comma.drop { $0 == UInt8(ascii: " ") }
        let name = next.prefix(while: HTTPHeaders.isTokenByte)
        let begins =
            next.startIndex > comma.startIndex && !name.isEmpty
            && next[name.endIndex...].first == UInt8(ascii: "=")
        return begins ? next : nil
    }
}
