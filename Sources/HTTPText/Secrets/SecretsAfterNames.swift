extension SecretFinder {
    /// Reads what follows "=", ":" or a space behind a name such as "token".
    ///
    /// - Parameters:
    ///   - gap: Where the names end.
    ///   - marked: The end of the last value. Values overlap, as in "token=token=", so each byte is taken once.
    mutating func readAssignments(
        _ text: ArraySlice<UInt8>, _ gap: Range<Int>, _ values: inout AssignedValues,
        _ marked: inout Int
    ) {
        for sign in gap {
            switch text[sign] {
            case UInt8(ascii: "="), UInt8(ascii: ":"):
                let name = AssignedValues.name(before: sign, in: text)
                let isLine = text[sign] == UInt8(ascii: ":")
                guard SensitiveNames.announce(name, in: isLine ? .line : .assignment) else {
                    continue
                }
                var value = values.value(after: sign)
                // JSON has been read as JSON.
                if value.lowerBound >= gap.upperBound { continue }
                if Self.isPhrase(name), value.lowerBound >= marked,
                    text[..<value.lowerBound].last != UInt8(ascii: "\"")
                {
                    let line = text[value.lowerBound...].prefix {
                        $0 >= 32 && !"\"'<>&".utf8.contains($0)
                    }
                    value = value.lowerBound..<max(value.upperBound, line.endIndex)
                }
                add(value.clamped(to: max(marked, text.startIndex)..<text.endIndex), in: text)
                marked = max(marked, value.upperBound)
            case 32 where sign > text.startIndex && text[sign - 1].isLetter:
                guard let value = Self.token(after: sign, in: text), value.lowerBound >= marked
                else { continue }
                add(value, in: text)
                marked = value.upperBound
            case UInt8(ascii: "-") where sign >= marked && text[sign...].starts(with: Self.begin):
                guard let value = Self.privateKey(after: sign, in: text) else { continue }
                add(value, in: text)
                marked = value.upperBound
            default: break
            }
        }
    }

    private static func isPhrase(_ name: ArraySlice<UInt8>) -> Bool {
        let word = SensitiveNames.folded(name)
        return word.starts(with: "mnemonic".utf8) || word.suffix(6).elementsEqual("phrase".utf8)
    }

    /// The word after "Bearer", or after a secret's name, if it looks like a token; nil if it doesn't.
    private static func token(
        after space: Int, in text: ArraySlice<UInt8>
    ) -> Range<Int>? {
        guard endsOfWords[Int(text[space - 1].lowercased)] else { return nil }
        let before = text[..<space].suffix(16)
        let name = before[
            (before.lastIndex { !$0.isLetter }.map { $0 + 1 } ?? before.startIndex)...]
        let announcing = String(decoding: name, as: UTF8.self).lowercased()
        guard words.contains(announcing) else { return nil }
        let isBasic = announcing == "basic"
        var word = text[(space + 1)...].prefix {
            $0.isLetterOrDigit || "-._~+/=".utf8.contains($0)
        }
        while word.last == UInt8(ascii: ".") { word.removeLast() }
        guard word.count >= 8 else { return nil }
        if isBasic {
            guard word.count % 4 == 0, let data = Data(base64Encoded: Data(word)),
                data.contains(UInt8(ascii: ":"))
            else { return nil }
        } else if !(word.contains(where: \.isDigit) && word.contains(where: \.isLetter)) {
            guard word.count >= 20, !word.contains(UInt8(ascii: "/")) else { return nil }
        }
        return word.startIndex..<word.endIndex
    }

    /// Words before a token.
    private static let words: Set<String> = [
        "bearer", "basic", "token", "secret", "password", "passwd", "passphrase", "passcode",
        "apikey", "jwt", "credential", "signature",
    ]
    private static let endsOfWords: [Bool] = (0..<256).map { byte in
        words.contains { $0.utf8.last.map(Int.init) == byte }
    }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let privateKey = Array("PRIVATE KEY-----".utf8)

    /// The text of a private key in PEM, up to its last line.
    private static func privateKey(after start: Int, in text: ArraySlice<UInt8>) -> Range<Int>? {
        let label = text[(start + begin.count)...].prefix(64)
        guard let key = label.indices.first(where: { label[$0...].starts(with: privateKey) }) else {
            return nil
        }
        let value = text[(key + privateKey.count)...].prefix { $0 != UInt8(ascii: "-") }
        return value.startIndex..<value.endIndex
    }
}
