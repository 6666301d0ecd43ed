/// Finds the secrets in a text, also where one text lies in another.
///
/// Each text is read in the same way, wherever it lies: a body, a header's value, a string of JSON, the value of a query
/// item or a form field, an attribute, or one of these inside another, up to ``depth`` levels. In a text, it reads
/// JSON, URLs, queries, markup, and what follows a name such as "token". A value counts as a secret because of its
/// name, or because it's a JSON Web Token, a bearer's token, or a private key.
///
/// Complexity: linear in the length of the text, for each level.
package struct SecretFinder {
    package struct Secret {
        package enum Kind {
            case text
            /// A name and a password in a URL.
            case userinfo
            /// A number in JSON; nested if the JSON is a part of another text.
            case number(isNested: Bool)
        }

        package fileprivate(set) var place: Range<Int>
        package let kind: Kind
        /// The secret, with the escapes decoded that stand around its text.
        package let value: ArraySlice<UInt8>
    }

    package enum Reading {
        case text
        /// A text in which a word such as "//a@b/c" is a URL.
        case references
        /// A URL, or a relative one.
        case url
        /// A query or a form.
        case form
    }

    /// The deepest level of texts within texts that is searched.
    static let depth = 6

    /// Returns the secrets of a text, in order and without overlaps.
    package static func secrets(in text: [UInt8], as reading: Reading) -> [Secret] {
        var finder = SecretFinder()
        finder.read(text[...], as: reading)
        return finder.merged()
    }

    var found: [Secret] = []
    var level = 0
    /// True while "+" is read as itself.
    var isPlusPlain = false
    /// What each name in JSON says, so that a name that comes again isn't examined again.
    var names: [ArraySlice<UInt8>: NameOfJSON] = [:]

    private mutating func read(_ text: ArraySlice<UInt8>, as reading: Reading) {
        switch reading {
        case .text: if Self.mayHoldSecrets(text) { readText(text, hasReferences: false) }
        case .references: readText(text, hasReferences: true)
        case .url: readURL(text, from: text.startIndex, isReference: true)
        case .form: readItems(text)
        }
    }

    mutating func add(_ place: Range<Int>, in text: ArraySlice<UInt8>, _ kind: Secret.Kind = .text)
    {
        if !place.isEmpty { found.append(Secret(place: place, kind: kind, value: text[place])) }
    }

    /// Reads a text that lies in the text being read, after decoding its escapes.
    mutating func readNested(_ text: ArraySlice<UInt8>, _ notation: EscapedText.Notation? = nil) {
        guard level < Self.depth, !text.isEmpty else { return }
        level += 1
        defer { level -= 1 }
        guard let notation, let decoded = EscapedText(text).read(notation) else {
            return read(text, as: .text)
        }
        let first = found.count
        read(decoded.bytes[...], as: .text)
        for index in first..<found.count {
            let place = decoded.place(of: found[index].place)
            found[index].place =
                place.lowerBound + text.startIndex..<place.upperBound + text.startIndex
        }
    }

    /// True for JSON that is a part of another text.
    var isNested: Bool { level > 0 }

    /// The secrets in order; those that overlap count as one.
    private func merged() -> [Secret] {
        var all: [Secret] = []
        for secret in found.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
            guard let last = all.last, secret.place.lowerBound < last.place.upperBound else {
                all.append(secret)
                continue
            }
            if last.place.contains(secret.place.upperBound - 1) { continue }
            let place = last.place.lowerBound..<secret.place.upperBound
            all[all.count - 1] = Secret(
                place: place, kind: .text, value: last.value + secret.value)
        }
        return all
    }
}

extension SecretFinder {
    /// A text of one word without any of these bytes holds no secret.
    static let signs: [Bool] = {
        var signs = [Bool](repeating: false, count: 256)
        for sign in "=:<{[%\\&\"?".utf8 { signs[Int(sign)] = true }
        return signs
    }()

    /// Returns false for a text in which no rule would find a secret.
    static func mayHoldSecrets(_ text: ArraySlice<UInt8>) -> Bool {
        var last: UInt8 = 0
        for byte in text {
            if signs[Int(byte)] { return true }
            // The end of a word such as "Bearer" or "token", the beginning of a JSON Web Token, and that of a key.
            if byte == 32, last.isLetter { return true }
            if byte == UInt8(ascii: "J"), last == UInt8(ascii: "y") { return true }
            if byte == UInt8(ascii: "-"), last == byte { return true }
            last = byte
        }
        return false
    }

    private mutating func readText(_ text: ArraySlice<UInt8>, hasReferences: Bool) {
        let start = text.firstIndex { $0 > 32 && !BodyText.byteOrderMark.contains($0) }
        guard let start else { return }
        if text[start] == UInt8(ascii: "\""), let inner = Self.quoted(text[start...]) {
            return readNested(inner, .backslash)
        }
        // What isn't part of JSON.
        var gaps: [Range<Int>] = []
        var gap = text.startIndex
        var position = start
        while let open = text[position...].firstIndex(where: { $0 == 0x7B || $0 == 0x5B }) {
            let end = readIsland(text, at: open, isAtStart: open == start)
            if end > open {
                gaps.append(gap..<open)
                gap = end
            }
            position = max(open + 1, end)
        }
        gaps.append(gap..<text.endIndex)
        var values = AssignedValues(text)
        var marked = text.startIndex
        for gap in gaps where !gap.isEmpty {
            for word in text[gap].split(whereSeparator: { $0 <= 32 || "\"'<>".utf8.contains($0) }) {
                readWord(word, isReference: hasReferences)
            }
            readAssignments(text, gap, &values, &marked)
        }
        if text.contains(UInt8(ascii: "<")) { readMarkup(text) }
    }

    /// The content of a text that is one string of JSON; nil for any other text.
    private static func quoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var scanner = JSONScanner(text)
        guard case .string(let range) = scanner.next(), scanner.next() == .end else { return nil }
        return text[range]
    }

    /// Reads JSON that begins at a bracket, also if it's escaped as in a log or an attribute.
    ///
    /// - Returns: Where it ends, or is no longer JSON; `open` if the bracket begins no JSON.
    private mutating func readIsland(
        _ text: ArraySlice<UInt8>, at open: Int, isAtStart: Bool
    ) -> Int {
        let rest = text[(open + 1)...].prefix(64).drop { $0 <= 32 || "{[".utf8.contains($0) }
        switch rest.first {
        case UInt8(ascii: "\"")?: break
        case UInt8(ascii: "\\")? where rest.dropFirst().first == UInt8(ascii: "\""):
            let span = text[open...].prefix { $0 >= 32 }
            readNested(span, .backslash)
            return span.endIndex
        case UInt8(ascii: "&")?
        where rest.starts(with: "&quot;".utf8) || rest.starts(with: "&#34;".utf8):
            let span = text[open...].prefix { !"\"'<>".utf8.contains($0) }
            readNested(span, .entity)
            return span.endIndex
        default: if !isAtStart { return open }
        }
        let sign = text[..<open].lastIndex { $0 != 32 }
        let isHidden =
            sign.map {
                "=:".utf8.contains(text[$0])
                    && SensitiveNames.announce(AssignedValues.name(before: $0, in: text), in: .line)
            } ?? false
        return readJSON(text, from: open, isHidden: isHidden, isAtStart: isAtStart)
    }
}
