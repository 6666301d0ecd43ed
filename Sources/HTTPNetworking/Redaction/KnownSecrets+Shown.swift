extension KnownSecrets {
    /// How many bytes of a text are examined before it is cut to the shown length.
    static let shownAtOnce = 4096

    /// A server's text for showing: without secrets, without values at places of secrets, and without long
    /// runs that look like tokens.
    ///
    /// - Parameters:
    ///   - source: The beginning of the text, at most ``shownAtOnce`` bytes of it.
    ///   - isCut: Whether the text continues after it.
    func shown(_ source: [UInt8], isCut: Bool) -> String {
        var marks = marks(in: source)
        marks.markTokens(in: source)
        marks.markAssignments(in: source)
        var kept = source
        if isCut {
            // A secret that is cut in two is not recognised.
            kept = Array(source.dropLast(256))
            while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last & 0x80 != 0 { kept.removeLast() }
        }
        let text = SafeText.replacing(Array(marks.prefix(kept.count)), in: kept)
        return kept.count < source.count ? text + "…" : text
    }
}

extension [Bool] {
    /// Marks each run of 20 and more letters, digits and signs of Base64 that has both letters and
    /// digits.
    fileprivate mutating func markTokens(in source: [UInt8]) {
        for run in source.indices.split(whereSeparator: { !source[$0].isOfToken }) {
            let bytes = source[run.startIndex..<run.endIndex]
            if bytes.count >= 20, bytes.looksLikeToken {
                for position in run { self[position] = true }
            }
        }
    }

    /// Marks the values after a name like "token" and "=" or ":", after any "=" of a query, and after any
    /// name in quotes that is not harmless.
    fileprivate mutating func markAssignments(in source: [UInt8]) {
        for sign in source.indices where "=:".utf8.contains(source[sign]) {
            let before = source[..<sign].suffix(64)
            let end = before.lastIndex { !" \\\"'".utf8.contains($0) }.map { $0 + 1 } ?? sign
            let name = source[before.startIndex..<end].suffix(while: \.isOfName)
            let isColon = source[sign] == UInt8(ascii: ":")
            let isInQuery =
                !isColon && "?&".utf8.contains(source[..<name.startIndex].last ?? 0)
            let isInQuotes = isColon && source[end..<sign].contains(UInt8(ascii: "\""))
            // In HTML: the values of a form, and the metadata of a page.
            let isAttribute =
                !isColon && ["value", "content"].contains(String(decoding: name, as: UTF8.self))
            if SensitiveNames.contain(name) || isInQuery || isAttribute
                || isInQuotes && !HarmlessNames.ofErrors.contains(name)
            {
                markValue(source[(sign + 1)...])
            }
        }
    }

    /// Marks a string to its closing quote, or a word; of credentials, the word after their scheme.
    private mutating func markValue(_ rest: ArraySlice<UInt8>) {
        let opening = rest.prefix { " \\\"'".utf8.contains($0) }
        var value = rest[opening.endIndex...]
        if let quote = opening.last, quote != 32, quote != UInt8(ascii: "\\") {
            value = value.prefix { $0 != quote }
        } else {
            let scheme = value.prefix { $0.isLetterOrDigit }
            let word = String(decoding: scheme, as: UTF8.self).lowercased()
            if ["bearer", "basic", "token"].contains(word) {
                value = value[scheme.endIndex...].drop { $0 == 32 }
            }
            value = value.prefix { $0 > 32 && !"\"'&;,<>".utf8.contains($0) }
        }
        for position in value.indices { self[position] = true }
    }
}

/// Names that precede a secret in a text.
private enum SensitiveNames {
    private static let stems = [
        "token", "secret", "passw", "pwd", "authorization", "cookie", "session", "apikey",
        "credential", "signature", "csrf", "xsrf", "jwt", "privatekey", "accesskey",
    ]

    /// Whether a name contains one of the stems, with any separators between its words.
    static func contain(_ name: some Collection<UInt8>) -> Bool {
        let word = String(decoding: name.filter(\.isLetterOrDigit), as: UTF8.self).lowercased()
        return stems.contains { word.contains($0) }
    }
}

extension HTTPRequest {
    /// Whether the body is a login or the renewal of a token, as its context says, or the names in a form or in
    /// JSON, up to 64 KiB of it.
    var hasCredentialsInBody: Bool {
        if body.isEmpty { return false }
        if context.skipsAuthorization { return true }
        guard case .data(let data) = body.content else { return false }
        switch BodyText(data, contentType: effectiveHeaders["Content-Type"]) {
        case .json(let outline): return outline.names.contains(where: SensitiveNames.contain)
        case .form(let text, _):
            let items = text.split(separator: UInt8(ascii: "&"))
            return items.map { $0.prefix { $0 != UInt8(ascii: "=") } }
                .contains { SensitiveNames.contain($0) || $0.elementsEqual("grant_type".utf8) }
        case .plain, .opaque: return false
        }
    }
}

extension UInt8 {
    /// Whether it is allowed in a token in Base64 or hexadecimal digits.
    fileprivate var isOfToken: Bool { isLetterOrDigit || "-_+=~%".utf8.contains(self) }

    /// Whether it is allowed in a name.
    fileprivate var isOfName: Bool { isLetterOrDigit || "-_.".utf8.contains(self) }
}

extension ArraySlice {
    /// The longest suffix whose elements all meet a condition.
    fileprivate func suffix(while isSo: (Element) -> Bool) -> ArraySlice {
        self[(lastIndex { !isSo($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
