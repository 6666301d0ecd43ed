extension SecretFinder {
    /// Reads a word of a text, which holds no space, quote or angle bracket.
    mutating func readWord(_ word: ArraySlice<UInt8>, isReference: Bool) {
        var (scheme, equals, question): (Int?, Int?, Int?)
        var (isEscaped, hasAmpersand) = (false, false)
        var last: UInt8 = 0
        for index in word.indices {
            switch word[index] {
            case UInt8(ascii: "/") where last == UInt8(ascii: ":") && scheme == nil:
                if word[(index + 1)...].first == UInt8(ascii: "/") { scheme = index }
            case UInt8(ascii: "="): equals = equals ?? index
            case UInt8(ascii: "?"): question = question ?? index
            case UInt8(ascii: "&"): hasAmpersand = true
            case UInt8(ascii: "%"): isEscaped = true
            default: break
            }
            last = word[index]
        }
        let isPath = word.first.map { "/?#".utf8.contains($0) } ?? false
        if let scheme, equals.map({ $0 > scheme }) ?? true {
            readURL(word, from: scheme, isReference: false)
        } else if isReference || isPath {
            // "//a@b" is a comment in most texts.
            readURL(word, from: word.startIndex, isReference: isReference)
        } else if let equals {
            if scheme != nil { readUserinfo(word, isReference: false) }
            if hasAmpersand {
                readItems(word)
            } else {
                readPair(word, equals, question)
            }
        } else if isEscaped {
            readEncoded(word)
        }
        readToken(word)
    }

    private mutating func readPair(_ word: ArraySlice<UInt8>, _ equals: Int, _ question: Int?) {
        let value = word[(equals + 1)...]
        if question.map({ $0 > equals }) ?? false || value.first == UInt8(ascii: "/") {
            readURL(value, from: value.startIndex, isReference: true)
        } else if value.contains(where: { "%+".utf8.contains($0) }) {
            readEncoded(value)
        }
        readToken(value)
    }

    /// Reads a URL: its userinfo, and the items of its query and its fragment.
    ///
    /// - Parameter isReference: True if the text is a URL or a relative one.
    mutating func readURL(
        _ text: ArraySlice<UInt8>, from start: Int, isReference: Bool
    ) {
        readUserinfo(text, isReference: isReference)
        let rest = text[start...].drop { !"?#".utf8.contains($0) }
        for part in rest.split(separator: UInt8(ascii: "#")) { readItems(part) }
        let path = text[start..<rest.startIndex]
        if path.contains(UInt8(ascii: "%")) { readNested(path, .percent) }
    }

    private mutating func readUserinfo(_ text: ArraySlice<UInt8>, isReference: Bool) {
        for slash in text.indices.dropLast()
        where text[slash] == UInt8(ascii: "/") && text[slash + 1] == UInt8(ascii: "/") {
            let isAtStart = isReference && slash == text.startIndex
            guard isAtStart || text[..<slash].last == UInt8(ascii: ":") else { continue }
            let authority = text[(slash + 2)...].prefix { !"/?#".utf8.contains($0) }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                add(authority.startIndex..<at, in: text, .userinfo)
            }
        }
    }

    /// Reads a query or a form.
    ///
    /// An item begins behind "&", ";" or "?", because servers differ, and a secret ends at "&". An item without "="
    /// is a value.
    mutating func readItems(_ query: ArraySlice<UInt8>) {
        for part in query.split(separator: UInt8(ascii: "&")) {
            for item in part.split(whereSeparator: { ";?".utf8.contains($0) }) {
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                let isBare = name.endIndex == item.endIndex
                let value = isBare ? item : item[name.endIndex...].dropFirst()
                if value.isJSONWebToken || !isBare && Self.announces(name, a: value) {
                    add(value.startIndex..<part.endIndex, in: part)
                    break
                }
                readValue(value)
            }
        }
    }

    /// Reads the value of an item, which may be a text of any kind, percent-encoded.
    private mutating func readValue(_ value: ArraySlice<UInt8>) {
        if value.contains(where: { "%+".utf8.contains($0) }) {
            readEncoded(value)
        } else if value.contains(where: { Self.signs[Int($0)] }) {
            readNested(value)
        } else {
            readToken(value)
        }
    }

    /// Reads a value of a form or a query.
    ///
    /// A "+" is a space, as in `{"token":+"…"}`; but some write it for itself in a URL, a form or Base64, so these are
    /// read in both ways. What lies in the second reading isn't doubled again, or each level would double the time.
    mutating func readEncoded(_ value: ArraySlice<UInt8>) {
        if !isPlusPlain, value.contains(UInt8(ascii: "+")) {
            readNested(value, .form)
            guard Self.mayHavePlusSigns(value) else { return }
            isPlusPlain = true
            defer { isPlusPlain = false }
            readNested(value, .percent)
            readToken(value)
        } else {
            readNested(value, .percent)
        }
    }

    /// True for the beginning of a URL, a form, or JSON in Base64.
    private static func mayHavePlusSigns(_ value: ArraySlice<UInt8>) -> Bool {
        let start = value.prefix(192)
        let plain = EscapedText(start).read(.percent)?.bytes ?? Array(start)
        let rest = plain.drop { $0.isLetterOrDigit || "-_.[]".utf8.contains($0) }
        return plain.starts(with: "eyJ".utf8) || rest.starts(with: ":/".utf8)
            || rest.first.map { "=/?#".utf8.contains($0) } ?? false
    }

    private static func announces(
        _ name: ArraySlice<UInt8>, a value: ArraySlice<UInt8>
    ) -> Bool {
        let plain = EscapedText(name).read(.percent)?.bytes[...] ?? name
        guard SensitiveNames.announce(plain, in: .form) else { return false }
        let shape = SensitiveNames.HarmlessShape(of: plain)
        return shape == .url || !(shape?.fits(value) ?? false)
    }

    /// Adds a JSON Web Token, or JSON in Base64 that holds a secret.
    mutating func readToken(_ word: ArraySlice<UInt8>) {
        let start = word.drop { !$0.isLetterOrDigit }
        guard start.starts(with: "eyJ".utf8) else { return }
        let token = start.prefix { $0.isLetterOrDigit || "-_.=+/".utf8.contains($0) }
        let end = token.lastIndex { $0 != UInt8(ascii: ".") }.map { $0 + 1 } ?? token.endIndex
        if token.isJSONWebToken { return add(token.startIndex..<end, in: word) }
        let digits = token.filter(\.isOfBase64).map { byte -> UInt8 in
            byte == UInt8(ascii: "-")
                ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
        }
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        guard level < Self.depth, let data = Data(base64Encoded: Data(digits + padding)),
            let text = BodyText.text(Array(data), isCut: true)
        else { return }
        let count = found.count
        readNested(text[...])
        guard found.count > count else { return }
        found.removeSubrange(count...)
        add(token.startIndex..<token.endIndex, in: word)
    }
}

extension UInt8 {
    fileprivate var isOfBase64: Bool { isLetterOrDigit || "-_+/".utf8.contains(self) }
}

extension Collection<UInt8> {
    /// True for three parts in Base64 with dots between, of which the first begins an object.
    package var isJSONWebToken: Bool {
        starts(with: "eyJ".utf8) && allSatisfy { $0.isLetterOrDigit || "-_.=".utf8.contains($0) }
            && split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).count >= 3
    }
}
