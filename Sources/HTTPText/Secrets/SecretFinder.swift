/// Finds the secrets in a text, also where one text lies in another.
///
/// Each text is read in the same way, wherever it lies: a body, a header's value, a string of JSON, the value of a query
/// item or a form field, an attribute, or one of these inside another, up to ``depth`` levels. In a text, it reads
/// JSON, URLs, queries, markup, and what follows a name such as "token". A value counts as a secret because of its
/// name, or because it's a JSON Web Token, a bearer's token, or a private key.
///
/// Complexity: linear in the length of the text, for each level.
package struct SecretFinder {
    /// A secret in a text.
    package struct Secret {
        package enum Kind {
            case text
            /// A name and a password in a URL.
            case userinfo
            /// A number in JSON; nested if the JSON is a part of another text.
            case number(isNested: Bool)
        }

        /// Where it lies in the text.
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

    /// How many texts inside one another are read.
    static let depth = 6

    /// Returns the secrets of a text, in order and without overlaps.
    package static func secrets(in text: [UInt8], as reading: Reading) -> [Secret] {
        var finder = SecretFinder()
        finder.read(text[...], as: reading)
        return finder.merged()
    }

    private var found: [Secret] = []
    private var level = 0
    /// True while "+" is read as itself.
    private var isPlusPlain = false
    /// What is known about names in JSON.
    private var names: [ArraySlice<UInt8>: NameOfJSON] = [:]

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
    /// The bytes without which a text of one word holds no secret.
    private static let signs: [Bool] = {
        var signs = [Bool](repeating: false, count: 256)
        for sign in "=:<{[%\\&\"?".utf8 { signs[Int(sign)] = true }
        return signs
    }()

    /// Returns false for a text in which no rule would find a secret.
    private static func mayHoldSecrets(_ text: ArraySlice<UInt8>) -> Bool {
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
                    && SensitiveNames.announce([Bool].name(before: $0, in: text), in: .line)
            } ?? false
        return readJSON(text, from: open, isHidden: isHidden, isAtStart: isAtStart)
    }
}

extension SecretFinder {
    /// Reads a word of a text, which holds no space, quote or angle bracket.
    private mutating func readWord(_ word: ArraySlice<UInt8>, isReference: Bool) {
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

    /// Reads a single `name=value`.
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
    private mutating func readURL(
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
    private mutating func readItems(_ query: ArraySlice<UInt8>) {
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
    private mutating func readEncoded(_ value: ArraySlice<UInt8>) {
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
    private mutating func readToken(_ word: ArraySlice<UInt8>) {
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

extension SecretFinder {
    /// Reads what follows "=", ":" or a space behind a name such as "token".
    ///
    /// - Parameters:
    ///   - gap: Where the names end.
    ///   - marked: The end of the last value. Values overlap, as in "token=token=", so each byte is taken once.
    private mutating func readAssignments(
        _ text: ArraySlice<UInt8>, _ gap: Range<Int>, _ values: inout AssignedValues,
        _ marked: inout Int
    ) {
        for sign in gap {
            switch text[sign] {
            case UInt8(ascii: "="), UInt8(ascii: ":"):
                let name = [Bool].name(before: sign, in: text)
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

/// What a name in JSON says about its value.
struct NameOfJSON {
    enum Role {
        case none
        /// The value is the name of something, as in `{"name": "password", "value": "…"}`.
        case name
        /// The value is the value of something that has a name.
        case value
    }

    let isSecret: Bool
    let isSecretNumber: Bool
    /// The shape of values that are no secrets, although the name announces one.
    let harmlessShape: SensitiveNames.HarmlessShape?
    let role: Role

    init(_ name: ArraySlice<UInt8>) {
        let plain = EscapedText(name).read(.backslash)?.bytes[...] ?? name
        isSecret = SensitiveNames.announce(plain, in: .json)
        isSecretNumber = isSecret && SensitiveNames.announce(plain, in: .json, ofNumber: true)
        harmlessShape = isSecret ? .init(of: plain) : nil
        role = NameOfJSON.role(of: plain)
    }

    /// The role of a member or an attribute.
    static func role(of name: ArraySlice<UInt8>) -> Role {
        guard name.count <= 16 else { return .none }
        let word = String(decoding: SensitiveNames.folded(name), as: UTF8.self)
        return names.contains(word) ? .name : values.contains(word) ? .value : .none
    }

    private static let names: Set<String> = [
        "name", "key", "field", "header", "param", "parameter", "property", "attribute", "variable",
        "id", "n", "k",
    ]
    private static let values: Set<String> = [
        "value", "values", "val", "v", "content", "stringvalue", "defaultvalue", "initialvalue",
    ]
}

extension SecretFinder {
    /// An open object or array.
    private struct Container {
        let isObject: Bool
        /// What the name of the member says whose value comes next.
        var member: NameOfJSON?
        /// True if a member such as "name", or the first of two strings, names a secret.
        var isNamed = false
        /// The name in a secret object, which stays if it's one of a pair.
        var name: Range<Int>?
        /// The values of members such as "value", among the values that were read.
        var values: Range<Int>?
        /// The number of elements of an array.
        var count = 0
        var second: Range<Int>?
    }

    private mutating func nameOfJSON(_ name: ArraySlice<UInt8>) -> NameOfJSON {
        if let known = names[name] { return known }
        if names.count >= 256 { names = [:] }
        let new = NameOfJSON(name)
        names[name] = new
        return new
    }

    /// Reads JSON, up to the end of its first value, or to where it isn't JSON.
    ///
    /// If it breaks off within a secret, the rest counts as that secret: of the text, or of the line if the text
    /// doesn't begin with the JSON.
    ///
    /// - Returns: Where it ends.
    fileprivate mutating func readJSON(
        _ text: ArraySlice<UInt8>, from start: Int, isHidden: Bool, isAtStart: Bool
    ) -> Int {
        var scanner = JSONScanner(text[start...])
        var containers: [Container] = []
        // The number of open containers when one with a secret's name was opened.
        var hidden = isHidden ? 0 : nil as Int?
        // The values that were read while a member such as "value" was open, and those that turned out to be secrets.
        var values: [(place: Range<Int>, isNumber: Bool)] = []
        var late: [Range<Int>] = []
        // The members such as "value" that are open.
        var open = 0
        var nameStart = start

        func isSecret(ofNumber isNumber: Bool = false) -> Bool {
            if hidden != nil { return true }
            guard let container = containers.last, let member = container.member else {
                return false
            }
            return (isNumber ? member.isSecretNumber : member.isSecret)
                || member.role == .value && container.isNamed
        }
        /// True for a value that is harmless by its shape; the name alone would make it a secret.
        func isSpared(_ value: ArraySlice<UInt8>) -> Bool {
            guard hidden == nil, let container = containers.last, let member = container.member,
                member.role != .value || !container.isNamed
            else { return false }
            return member.harmlessShape?.fits(value) ?? false
        }
        func endValue() {
            guard let last = containers.indices.last else { return }
            if containers[last].member?.role == .value, containers[last].values?.isEmpty == true {
                containers[last].values = containers[last].values!.lowerBound..<values.count
            }
            containers[last].member = nil
            containers[last].count += 1
        }
        func beginValue() {
            guard let last = containers.indices.last, containers[last].member?.role == .value,
                containers[last].values == nil
            else { return }
            containers[last].values = values.count..<values.count
        }
        while true {
            switch scanner.next() {
            case .open(let isObject):
                beginValue()
                if hidden == nil, isSecret() { hidden = containers.count }
                if containers.last?.member?.role == .value { open += 1 }
                containers.append(Container(isObject: isObject))
            case .close:
                let closed = containers.removeLast()
                if let name = closed.name, closed.values == nil { add(name, in: text) }
                if closed.isNamed, let range = closed.values { late.append(range) }
                if closed.isNamed, closed.count == 2, let second = closed.second {
                    add(second, in: text)
                }
                if hidden == containers.count { hidden = nil }
                if containers.last?.member?.role == .value { open -= 1 }
                endValue()
                if containers.isEmpty {
                    addLate(late, values, in: text)
                    return scanner.position
                }
            case .name(let range):
                nameStart = range.lowerBound - 1
                containers[containers.count - 1].member = nameOfJSON(text[range])
            case .string(let range):
                beginValue()
                let (value, last) = (text[range], containers.count - 1)
                guard last >= 0 else { return range.upperBound }
                if open > 0 || containers[last].member?.role == .value {
                    values.append((range, false))
                }
                let isName = containers[last].member?.role == .name
                if isName, hidden != nil, containers[last].name == nil {
                    containers[last].name = range
                } else if value.isJSONWebToken || isSecret() && !isSpared(value) {
                    add(range, in: text)
                } else {
                    if containers[last].member?.harmlessShape == .url {
                        addTokens(ofURL: value, in: text)
                    }
                    readNested(value, .backslash)
                }
                if isName || !containers[last].isObject && containers[last].count == 0 {
                    if SensitiveNames.isAnnouncing(value) { containers[last].isNamed = true }
                } else if !containers[last].isObject, containers[last].count == 1,
                    !SensitiveNames.isAnnouncing(value)
                {
                    containers[last].second = range
                }
                endValue()
            case .scalar(let range):
                beginValue()
                let isNumber = !"ntf".utf8.contains(text[range.lowerBound])
                if isNumber, isSecret(ofNumber: true) {
                    add(range, in: text, .number(isNested: isNested))
                }
                if isNumber, open > 0 || containers.last?.member?.role == .value {
                    values.append((range, true))
                }
                endValue()
            case .end, .broken:
                addLate(late, values, in: text)
                for container in containers where container.name != nil {
                    if let name = container.name { add(name, in: text) }
                }
                let start = scanner.position
                let isString = text[start...].first == UInt8(ascii: "\"")
                var value = text[start...].dropFirst(isString ? 1 : 0)
                guard !value.isEmpty,
                    isSecret(ofNumber: !isString) || isString && value.isJSONWebToken
                else { return containers.last?.member != nil ? nameStart : max(start, nameStart) }
                if !isAtStart { value = value.prefix { $0 != 10 } }
                add(value.startIndex..<value.endIndex, in: text)
                return value.endIndex
            }
        }
    }

    /// Adds the parts of a URL that look like tokens, as in the link of a mail.
    private mutating func addTokens(ofURL url: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) {
        let parts = url.split { "/\\?&#=;".utf8.contains($0) }
        for part in parts where !part.contains(UInt8(ascii: ":")) && !part.contains(0x2E) {
            let isRandom = part.count >= 20 && part.allSatisfy(\.isLetterOrDigit)
            if isRandom || part.looksLikeToken { add(part.startIndex..<part.endIndex, in: text) }
        }
    }

    /// Adds the values whose names came after them.
    private mutating func addLate(
        _ late: [Range<Int>], _ values: [(place: Range<Int>, isNumber: Bool)],
        in text: ArraySlice<UInt8>
    ) {
        var end = 0
        for range in late.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            for index in range.clamped(to: max(end, range.lowerBound)..<max(end, range.upperBound))
            {
                let (place, isNumber) = values[index]
                add(place, in: text, isNumber ? .number(isNested: isNested) : .text)
            }
            end = max(end, range.upperBound)
        }
    }
}
