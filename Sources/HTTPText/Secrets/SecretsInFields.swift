extension KnownSecrets {
    /// Adds the userinfo, the query's values, and the fragment.
    package mutating func add(url: String) {
        let beforeFragment = url.prefix { $0 != "#" }
        let fragment = url[beforeFragment.endIndex...].dropFirst()
        if !fragment.isEmpty {
            add(fragment)
            add(query: fragment)
        }
        let place = beforeFragment.prefix { $0 != "?" }
        add(query: beforeFragment[place.endIndex...].dropFirst())
        // The authority follows the scheme and two slashes, and ends at the next slash.
        let authority = place.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return }
        add(userinfo: authority[..<at])
    }

    /// Adds a name and a password, both together and apart, and encoded for Basic authentication.
    package mutating func add(userinfo: Substring) {
        add(userinfo)
        let name = userinfo.prefix { $0 != ":" }
        add(name)
        add(userinfo[name.endIndex...].dropFirst())
        let decoded = PercentEncoding.decode(userinfo) ?? String(userinfo)
        add(Data(decoded.utf8).base64EncodedString())
    }

    /// Adds the values of a query or a form; an item without "=" counts as a value.
    package mutating func add(query: Substring) {
        for item in query.utf8.split(whereSeparator: { "&;?".utf8.contains($0) }) {
            add(item.firstIndex(of: UInt8(ascii: "=")).map { item[$0...].dropFirst() } ?? item)
        }
    }

    /// Adds the value of a header, and its parts.
    ///
    /// The parts are the value without its scheme, the values of its `name=value` pairs, and each word. Basic
    /// credentials are also decoded.
    package mutating func add(field value: some StringProtocol) {
        add(value)
        add(value.drop { $0 != " " })
        for separator: Character in [";", ","] {
            for item in value.split(separator: separator) {
                let pair = item.drop { $0 != "=" }.dropFirst()
                add(pair)
                add(pair.drop { $0 == "\"" }.prefix { $0 != "\"" })
            }
        }
        for word in value.split(whereSeparator: { " \t;,=&?\"'<>()".contains($0) }) {
            add(word)
            let padding = String(repeating: "=", count: (4 - word.utf8.count % 4) % 4)
            guard let data = Data(base64Encoded: word + padding),
                let text = String(data: data, encoding: .utf8), text.contains(":")
            else { continue }
            add(text)
            add(text.prefix { $0 != ":" })
            add(text.drop { $0 != ":" }.dropFirst())
        }
    }
}

extension KnownSecrets {
    package mutating func add(_ body: Data, contentType: String?) {
        guard !body.isEmpty else { return }
        guard body.count <= Self.limit else { return isMissingSome() }
        switch BodyText(body, contentType: contentType) {
        case .json(let outline) where outline.isWhole:
            for value in outline.values { add(value) }
        case .form(let text, isDeclared: true):
            add(query: String(decoding: text, as: UTF8.self)[...])
        default: isMissingSome()
        }
    }

    /// Collects the values in JSON that a text may quote.
    ///
    /// Complexity: linear in the size of the data, which is already in memory.
    package init(of data: Data, in text: String) {
        let words = Set(Self.beginnings(of: Array(text.utf8)))
        for value in JSONOutline(Array(data)).values {
            // A value with an escape may begin differently in the text, so it is always added.
            let start = Self.beginnings(of: Array(value.prefix(4))).first
            if value.contains(UInt8(ascii: "\\")) || start.map(words.contains) ?? false {
                add(value.prefix(4096))
            }
        }
    }

    private static func beginnings(of bytes: [UInt8]) -> [[UInt8]] {
        let lowercase = bytes.map(\.lowercased)
        return lowercase.indices.dropLast(3).map { Array(lowercase[$0..<$0 + 4]) }
    }
}
