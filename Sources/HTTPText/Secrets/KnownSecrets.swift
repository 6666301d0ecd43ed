/// Secrets that must not be shown, and their removal from texts.
///
/// A value of four bytes or more is found wherever the whole value occurs, in lower or upper case, and in any form that
/// ``EscapedText`` decodes in up to three levels. Parts of long values are found too: any 16 bytes in a row, and if the
/// value looks like a token, any eight, because servers often show the beginning of a refused token. If a value is one
/// word of fewer than 16 letters, it is found only where no letter stands beside it: "redirect" does not match
/// "Redirecting". Values of fewer than four bytes, and words such as "true", are not searched for, because removing
/// them would hide nothing and damage many harmless texts.
package struct KnownSecrets {
    /// True if everything was examined.
    ///
    /// Otherwise no text from a server may be shown.
    package private(set) var isComplete = true

    /// The largest size of a body or a field that is examined, in bytes.
    static let limit = 65_536

    /// The length of the longest needle, in bytes; a needle is a sequence of bytes to search for.
    private static let longest = 16

    /// The largest total size of the secrets, in bytes.
    private static let capacity = 4 * limit

    /// The added values, in lower case.
    private var values: Set<[UInt8]> = []
    /// The lengths of the values of 64 bytes or fewer.
    private var lengthsOfValues: Set<Int> = []
    /// The needles, as keys; the value is true if the needle is a word that matches only as a whole.
    private var needles: [ArraySlice<UInt8>: Bool] = [:]
    /// The first four bytes of each needle, which quickly rule out most places in a text.
    private var beginnings: Set<UInt32> = []
    /// One bit for each of 4096 hashes, set if a beginning has that hash.
    private var filter = [UInt64](repeating: 0, count: 64)
    /// The lengths of the needles.
    private var lengths: Set<Int> = []
    private var size = 0
    /// More words that are not searched for, in lower case.
    private var spared: Set<String> = []

    package init(sparing spared: Set<String> = []) { self.spared = spared }

    /// Notes that something could not be examined.
    package mutating func isMissingSome() { isComplete = false }

    /// Adds a value as it is, and with its escapes decoded.
    package mutating func add(_ value: some Collection<UInt8>) {
        guard value.count <= Self.limit else { return isMissingSome() }
        var text = EscapedText(value)
        for _ in 0...Self.depth {
            addOne(text.bytes.withoutBlanks)
            guard let read = text.read() else { return }
            text = read
        }
    }

    /// Adds a value as it is, and with its escapes decoded.
    package mutating func add(_ value: some StringProtocol) { add(Array(value.utf8)) }

    private mutating func addOne(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 4 else { return }
        let folded = bytes.map(\.folded)
        if folded.count <= 24 {
            let word = String(decoding: folded, as: UTF8.self)
            if Self.words.contains(word) || spared.contains(word) { return }
        }
        guard values.insert(folded).inserted else { return }
        if folded.count <= 64 { lengthsOfValues.insert(folded.count) }
        size += folded.count
        guard size <= Self.capacity else { return isMissingSome() }
        let isWord = folded.count < Self.longest && folded.allSatisfy(\.isLetter)
        addParts(of: folded, length: min(folded.count, Self.longest), isWord: isWord)
        if bytes.looksLikeToken { addParts(of: folded, length: 8, isWord: false) }
    }

    private mutating func addParts(of folded: [UInt8], length: Int, isWord: Bool) {
        lengths.insert(length)
        for start in 0...folded.count - length {
            let needle = folded[start..<start + length]
            needles[needle] = isWord && needles[needle] ?? true
            let beginning = folded.beginning(at: start)
            beginnings.insert(beginning)
            let hash = Self.hash(beginning)
            filter[hash >> 6] |= 1 << UInt64(hash & 63)
        }
    }

    private static func hash(_ beginning: UInt32) -> Int { Int((beginning &* 0x9E37_79B1) >> 20) }

    /// Returns whether a needle may begin with four bytes.
    private func mayBegin(_ beginning: UInt32) -> Bool {
        let hash = Self.hash(beginning)
        return filter[hash >> 6] >> UInt64(hash & 63) & 1 == 1 && beginnings.contains(beginning)
    }

    /// The number of decoded levels, enough for a JSON escape inside a percent-encoding inside an entity.
    private static let depth = 3

    private static let words: Set<String> = [
        "true", "false", "null", "none", "undefined", "http", "https", "json", "text", "html",
        "utf-8", "gzip", "bearer", "basic", "digest", "negotiate", "close", "keep-alive", "error",
        "message", "code", "status", "authorization code", "authorization_code",
        "client_credentials", "refresh_token", "access_token",
    ]
}

extension KnownSecrets {
    /// Returns a text with "…" in place of each secret.
    ///
    /// Complexity: linear in the length of the text.
    package func scrubbed(_ text: some StringProtocol) -> String {
        let source = Array(text.utf8)
        guard source.count >= 4, !needles.isEmpty else { return String(text) }
        return SafeText.replacing(marks(in: source), in: source)
    }

    /// Returns one flag for each byte of a text: true if the byte belongs to a secret.
    package func marks(in source: [UInt8]) -> [Bool] {
        var marks = [Bool](repeating: false, count: source.count)
        guard !needles.isEmpty else { return marks }
        var text = EscapedText(source)
        for _ in 0...Self.depth {
            mark(&marks, in: text)
            guard let read = text.read() else { break }
            text = read
        }
        return marks
    }

    private func mark(_ marks: inout [Bool], in text: EscapedText) {
        let folded = text.bytes.map(\.folded)
        guard folded.count >= 4 else { return }
        var beginning = folded.beginning(at: 0) >> 8
        for start in 0...folded.count - 4 {
            beginning = beginning << 8 | UInt32(folded[start + 3])
            guard mayBegin(beginning) else { continue }
            let ends = lengths.lazy.map { start + $0 }
            guard let end = ends.filter({ self.holds(folded, start, $0) }).max() else { continue }
            for position in text.place(of: start..<end) { marks[position] = true }
        }
    }

    /// Returns whether a word of 64 bytes or fewer holds a whole secret, rather than a part of one.
    package func hold(in word: ArraySlice<UInt8>) -> Bool {
        let folded = word.map(\.folded)
        return lengthsOfValues.contains { length in
            length <= folded.count
                && (0...folded.count - length).contains { start in
                    values.contains(Array(folded[start..<start + length]))
                }
        }
    }

    private func holds(_ text: [UInt8], _ start: Int, _ end: Int) -> Bool {
        guard end <= text.count, let isWord = needles[text[start..<end]] else { return false }
        let isWithin =
            start > 0 && text[start - 1].isLetter || end < text.count && text[end].isLetter
        return !(isWord && isWithin)
    }
}

extension [UInt8] {
    /// Returns four bytes as one number.
    fileprivate func beginning(at start: Int) -> UInt32 {
        UInt32(self[start]) << 24 | UInt32(self[start + 1]) << 16 | UInt32(self[start + 2]) << 8
            | UInt32(self[start + 3])
    }
}

extension UInt8 {
    /// The byte in lower case; a space for "+", because in a form "+" means a space.
    fileprivate var folded: UInt8 {
        self == UInt8(ascii: "+") ? UInt8(ascii: " ") : lowercased
    }
}

extension Collection<UInt8> where SubSequence == ArraySlice<UInt8> {
    /// The bytes without the white space, line ends and other controls around them.
    var withoutBlanks: ArraySlice<UInt8> {
        let start = drop { $0 <= 32 }
        return start.prefix(start.lastIndex { $0 > 32 }.map { $0 - start.startIndex + 1 } ?? 0)
    }
}

extension Collection<UInt8> {
    /// True for 12 bytes or more that include a letter and a digit, but no white space and no "://".
    package var looksLikeToken: Bool {
        count >= 12 && allSatisfy { $0 > 32 } && contains(where: \.isDigit)
            && contains(where: \.isLetter)
            && !String(decoding: self, as: UTF8.self)
                .contains("://")
    }
}

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

    /// Returns every sequence of four bytes, in lower case.
    private static func beginnings(of bytes: [UInt8]) -> [[UInt8]] {
        let lowercase = bytes.map(\.lowercased)
        return lowercase.indices.dropLast(3).map { Array(lowercase[$0..<$0 + 4]) }
    }
}

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
            let name = Self.name(before: sign, in: source[...])
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

    /// The name that "=" or ":" follows, which is empty if there is none.
    package static func name(before sign: Int, in source: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let before = source[..<sign].suffix(64)
        let end = before.lastIndex { !" \\\"'".utf8.contains($0) }.map { $0 + 1 } ?? sign
        return source[before.startIndex..<end].suffix(while: \.isOfName)
    }
}

/// The values that follow signs in a text, read from the first sign to the last.
struct AssignedValues {
    private let source: ArraySlice<UInt8>
    /// For each quote, escaped or not, and for the space as the end of a word, the end that was found last.
    private var ends: [Ending: Int] = [:]

    private struct Ending: Hashable {
        let quote: UInt8
        let isEscaped: Bool
    }

    init(_ source: ArraySlice<UInt8>) { self.source = source }

    /// Returns a quoted string up to its closing quote, or else one word.
    ///
    /// After a scheme such as "Bearer", it returns the next word instead.
    mutating func value(after sign: Int) -> Range<Int> {
        let rest = source[(sign + 1)...]
        let opening = rest.prefix { " \\\"'".utf8.contains($0) }
        var value = rest[opening.endIndex...]
        if let quote = opening.last, quote != 32, quote != UInt8(ascii: "\\") {
            let isEscaped = opening.dropLast().last == UInt8(ascii: "\\")
            return value.startIndex..<end(quote, isEscaped: isEscaped, from: value.startIndex)
        }
        let scheme = value.prefix { $0.isLetterOrDigit }
        let word = String(decoding: scheme, as: UTF8.self).lowercased()
        if ["bearer", "basic", "token"].contains(word) {
            value = value[scheme.endIndex...].drop { $0 == 32 }
        }
        return value.startIndex..<end(32, isEscaped: false, from: value.startIndex)
    }

    /// Returns the next end of a word or of a quoted string.
    ///
    /// The values' starts only grow, so an end that lies behind the start is still the next one.
    ///
    /// - Parameters:
    ///   - quote: The opening quote; a space for a word.
    ///   - isEscaped: True if the opening quote is escaped. Otherwise an escaped quote is part of the value.
    ///   - start: The start of the value.
    private mutating func end(_ quote: UInt8, isEscaped: Bool, from start: Int) -> Int {
        let ending = Ending(quote: quote, isEscaped: isEscaped)
        if let end = ends[ending], end >= start { return end }
        let end = source.indices[start...].first { index in
            if quote == 32 { return source[index] <= 32 || "\"'&;,<>".utf8.contains(source[index]) }
            guard source[index] == quote else { return false }
            if isEscaped { return true }
            let slashes = source[start..<index].suffix { $0 == UInt8(ascii: "\\") }
            return slashes.count.isMultiple(of: 2)
        }
        ends[ending] = end ?? source.endIndex
        return end ?? source.endIndex
    }
}

extension UInt8 {
    /// True if the byte may be part of a token in Base64 or hexadecimal digits.
    fileprivate var isOfToken: Bool { isLetterOrDigit || "-_+=~%".utf8.contains(self) }

    /// True if the byte may be part of a name.
    fileprivate var isOfName: Bool { isLetterOrDigit || "-_.".utf8.contains(self) }
}

extension ArraySlice {
    /// Returns the longest suffix whose elements all meet a condition.
    fileprivate func suffix(while isSo: (Element) -> Bool) -> ArraySlice {
        self[(lastIndex { !isSo($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
