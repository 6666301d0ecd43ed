/// Splits the values of repeated Set-Cookie fields that were joined by commas.
enum SetCookie {
    /// The cookies in a joined value, in order.
    ///
    /// A comma separates two cookies if a name and "=" follow it (RFC 6265, section 4.1.1). They follow
    /// neither the comma of a date ("Wed, 21 Oct 2026") nor most commas in a value.
    static func split(_ joined: String) -> [String] {
        var cookies: [String] = []
        var rest = joined[...]
        var from = rest.startIndex
        while let comma = rest[from...].firstIndex(of: ",") {
            from = rest.index(after: comma)
            let next = rest[from...].drop { $0 == " " }
            let name = next.prefix { isTokenCharacter($0) }
            guard !name.isEmpty, next[name.endIndex...].first == "=" else { continue }
            cookies.append(String(rest[..<comma]))
            rest = next
            from = rest.startIndex
        }
        return cookies + [String(rest)]
    }

    private static func isTokenCharacter(_ character: Character) -> Bool {
        guard let code = character.asciiValue else { return false }
        return character.isLetter || character.isNumber
            || "!#$%&'*+-.^_`|~".utf8.contains(code)
    }
}
