extension KnownSecrets {
    /// The most bytes of a text that are examined for showing; what follows them is never shown.
    static let shownAtOnce = 4096

    /// Returns a server's text without secrets, for showing.
    ///
    /// It also removes values that follow the name of a secret, and long runs that look like tokens.
    ///
    /// - Parameters:
    ///   - source: The beginning of the text, at most ``shownAtOnce`` bytes.
    ///   - isCut: True if the text continues after `source`.
    func shown(_ source: [UInt8], isCut: Bool) -> String {
        var marks = marks(in: source)
        for secret in SecretFinder.secrets(in: source, as: .text) {
            for position in secret.place { marks[position] = true }
        }
        marks.markTokens(in: source)
        marks.markAssignments(in: source)
        var kept = source
        if isCut {
            // A secret that is cut in two would not be recognised, so the last 256 bytes are dropped.
            kept = Array(source.dropLast(256))
            while let last = kept.last, last & 0xC0 == 0x80 { kept.removeLast() }
            if let last = kept.last, last & 0x80 != 0 { kept.removeLast() }
        }
        let text = SafeText.replacing(Array(marks.prefix(kept.count)), in: kept)
        return kept.count < source.count ? text + "…" : text
    }
}

extension [Bool] {
    /// Marks each run that looks like a token.
    ///
    /// Such a run has at least 20 letters, digits and Base64 signs, with at least one letter and one digit.
    fileprivate mutating func markTokens(in source: [UInt8]) {
        for run in source.indices.split(whereSeparator: { !source[$0].isOfToken }) {
            let bytes = source[run.startIndex..<run.endIndex]
            if bytes.count >= 20, bytes.looksLikeToken {
                for position in run { self[position] = true }
            }
        }
    }

    /// Marks the values that may be secrets because of what precedes them.
    ///
    /// A value follows a name and a sign, which is "=" or ":". The value is marked in these cases:
    ///
    /// - The name is one like "token".
    /// - The sign is "=", and the name is in a query, or is `value` or `content`.
    /// - The sign is ":", and the name is in quotes, unless the name describes an error.
    ///
    /// Complexity: linear in the length of the text.
    mutating func markAssignments(in source: [UInt8]) {
        var values = AssignedValues(source[...])
        // Values overlap, as in "token=token=", so each byte is marked once.
        var marked = 0
        for sign in source.indices where "=:".utf8.contains(source[sign]) {
            let name = AssignedValues.name(before: sign, in: source[...])
            let isColon = source[sign] == UInt8(ascii: ":")
            let isInQuery =
                !isColon && "?&".utf8.contains(source[..<name.startIndex].last ?? 0)
            let isInQuotes = isColon && source[name.endIndex..<sign].contains(UInt8(ascii: "\""))
            // In HTML, the attribute `value` holds a value of a form, and `content` holds metadata of the page.
            let isAttribute =
                !isColon && ["value", "content"].contains(String(decoding: name, as: UTF8.self))
            let mayBeSecret =
                isInQuery || isAttribute || isInQuotes && !HarmlessNames.ofErrors.contains(name)
            if SensitiveNames.contain(name) || mayBeSecret {
                let value = values.value(after: sign)
                for position in value.clamped(to: marked..<source.count) { self[position] = true }
                marked = Swift.max(marked, value.upperBound)
            }
        }
    }
}

extension UInt8 {
    /// True if the byte may be part of a token in Base64 or hexadecimal digits.
    fileprivate var isOfToken: Bool { isLetterOrDigit || "-_+=~%".utf8.contains(self) }
}
