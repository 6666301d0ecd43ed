/// Replaces the secrets of an exchange before it's recorded.
///
/// The secrets are the values of headers, query items, form fields and JSON members whose names announce one, userinfo,
/// and JSON Web Tokens. What is replaced in one place is replaced wherever the exchange repeats it.
struct ArchiveRedaction {
    /// What was replaced, to find it elsewhere in the exchange.
    private var secrets = KnownSecrets(sparing: RecordedNames.words)

    /// What replaces a number: in a response, another number, because the client's decoder expects one.
    private var numberSign = "\"\(HTTPArchive.redacted)\""

    private static let sign = HTTPArchive.redacted

    /// The headers whose value is a URL.
    private static let urlHeaders: Set<String> = ["location", "content-location", "referer"]

    /// Returns an entry without its secrets.
    static func redacted(_ entry: HTTPArchive.Entry) -> HTTPArchive.Entry {
        var redaction = ArchiveRedaction()
        var entry = entry
        let request = entry.request
        var url = redaction.redacted(url: request.url.absoluteString)
        var headers = redaction.redacted(request.headers)
        var body = redaction.redacted(
            request.body.data ?? Data(), type: request.body.contentType, coding: request.headers)
        let type = request.body.contentType.map { redaction.redacted($0, of: "content-type") }
        var answerHeaders = redaction.redacted(entry.response?.headers ?? [:])
        redaction.numberSign = "0"
        var answer = redaction.redacted(
            entry.response?.body ?? Data(), type: answerHeaders["Content-Type"],
            coding: answerHeaders, isCut: entry.failure != nil)
        // By now, all secrets are known.
        url = redaction.scrubbed(url: url)
        headers = redaction.scrubbed(headers)
        answerHeaders = redaction.scrubbed(answerHeaders)
        body = redaction.scrubbed(body)
        answer = redaction.scrubbed(answer)
        entry.request = HTTPRequest(
            request.method, URL(string: url) ?? Self.unknown, headers: headers)
        if let reason = body.missing {
            entry.missingRequestBody = entry.missingRequestBody ?? reason
        } else if !body.data.isEmpty {
            entry.request.body = .init(
                .data(body.data), contentType: type.map { redaction.scrubbed($0) })
        }
        entry.response?.request = nil
        entry.response?.url = entry.request.url
        entry.response?.headers = answerHeaders
        entry.response?.body = answer.missing == nil ? answer.data : Data()
        entry.missingResponseBody = entry.missingResponseBody ?? answer.missing
        return entry
    }

    /// The URL in place of one that can't be shown without its secrets.
    private static let unknown = URL(string: "http://redacted.invalid/")!

    /// A body; or, if it can't be kept, the reason.
    private struct Body {
        var data = Data()
        /// True if the data is text in which secrets are looked for.
        var isText = false
        var missing: String?
    }
}

extension ArchiveRedaction {
    private mutating func redacted(url: String) -> String {
        // A fragment isn't sent.
        let text = Array(url.utf8.prefix { $0 != UInt8(ascii: "#") })
        return redacted(text) { $0.markURL(in: text[...], isReference: true) }
    }

    private mutating func redacted(form: [UInt8]) -> String {
        redacted(form) { $0.markItems(in: form[...]) }
    }

    /// Replaces what `mark` marks.
    private mutating func redacted(_ text: [UInt8], _ mark: (inout [Bool]) -> Void) -> String {
        var marks = [Bool](repeating: false, count: text.count)
        mark(&marks)
        add(marks, in: text)
        return SafeText.replacing(marks, in: text, by: Self.sign)
    }

    private mutating func add(_ marks: [Bool], in text: [UInt8]) {
        for run in text.indices.split(whereSeparator: { !marks[$0] }) {
            let isUserinfo = run.endIndex < text.count && text[run.endIndex] == UInt8(ascii: "@")
            if isUserinfo {
                secrets.add(userinfo: Substring(decoding: text[run], as: UTF8.self))
            } else {
                secrets.add(text[run])
            }
        }
    }

    /// The userinfo, host and port of a URL reference (RFC 3986, section 4.1); nil if it has none.
    ///
    /// As in `URLReference`, the delimiters are bytes: a "/" and a combining mark form one character.
    private static func authority(of url: String) -> Range<String.Index>? {
        let scheme = url.utf8.prefix { $0.isLetterOrDigit || "+-.".utf8.contains($0) }
        var rest = url.utf8[scheme.endIndex...]
        if !scheme.isEmpty, rest.popFirst() != UInt8(ascii: ":") { return nil }
        guard rest.starts(with: "//".utf8) else { return nil }
        rest = rest.dropFirst(2)
        return rest.startIndex..<rest.prefix { !"/?#".utf8.contains($0) }.endIndex
    }

    private mutating func redacted(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(headers.map { name, value in (name, redacted(value, of: name.lowercased())) })
    }

    private mutating func redacted(_ value: String, of name: String) -> String {
        if Self.urlHeaders.contains(name) { return redacted(url: value) }
        switch name {
        case "link", "refresh":
            let text = Array(value.utf8)
            return redacted(text) { marks in
                marks.markAssignments(in: text, onlySensitive: true)
                marks.markURLs(in: text, areReferences: true)
            }
        case "cookie":
            secrets.add(field: value)
            return value.utf8.split(separator: UInt8(ascii: ";")).map { pair in
                let end = pair.firstIndex(of: UInt8(ascii: "="))
                return end.map { "\(Substring(pair[..<$0]))=\(Self.sign)" } ?? Self.sign
            }.joined(separator: ";")
        case "set-cookie":
            let text = Array(value.utf8)
            return redacted(text) { $0.markCookies(in: text) }
        default:
            guard
                RecordedNames.areSecret(inHeader: name)
                    || !HTTPHeaders.isHarmless(name) && value.utf8.looksLikeOneToken
                    || value.utf8.isJSONWebToken
            else {
                let text = Array(value.utf8)
                return redacted(text) { $0.markURLs(in: text) }
            }
            secrets.add(field: value)
            // The scheme says how the client has signed in.
            let scheme = value.prefix { $0.isLetter }
            let hasScheme =
                name.hasSuffix("authorization") && value.dropFirst(scheme.count).first == " "
            return hasScheme ? "\(scheme) \(Self.sign)" : Self.sign
        }
    }

    /// - Parameter isCut: True if the exchange failed, so that the body may end within a character.
    private mutating func redacted(
        _ data: Data, type: String?, coding headers: HTTPHeaders, isCut: Bool = false
    ) -> Body {
        if data.isEmpty { return Body() }
        let media = BodyText.mediaType(type)
        let codings = headers["Content-Encoding"].map { $0.lowercased() } ?? "identity"
        guard codings == "identity" else {
            return Body(missing: "\(data.count) bytes, encoded: secrets in them couldn't be found")
        }
        guard !media.hasPrefix("multipart/") else {
            return Body(missing: "\(data.count) bytes of several parts")
        }
        guard let bytes = BodyText.text(Array(data), isCut: isCut) else {
            guard BodyText.isTextual(media) else { return Body(data: data) }
            return Body(missing: "\(data.count) bytes of text that isn't UTF-8")
        }
        let json = redacted(json: bytes)
        if json.isWhole { return Body(data: Data(json.text), isText: true) }
        if case .form = BodyText(Data(bytes), contentType: type) {
            return Body(data: Data(redacted(form: bytes).utf8), isText: true)
        }
        // JSON that breaks off, lines of JSON, or events whose data is JSON.
        var text = json.text
        var known = [0..<text.count]
        for line in bytes[json.end...].split(separator: 10, omittingEmptySubsequences: false) {
            let name = line.starts(with: "data:".utf8) ? line.prefix(5) : []
            let json = redacted(json: Array(line.dropFirst(name.count)))
            text += name + json.text
            known.append(text.count - json.text.count..<text.count)
            text += line.dropFirst(name.count + json.end) + [10]
        }
        text.removeLast()
        let shown = redacted(text) { marks in
            marks.markAssignments(in: text, onlySensitive: true)
            marks.markURLs(in: text)
            for position in known.joined() { marks[position] = false }
            marks.markElements(in: text)
        }
        return Body(data: Data(shown.utf8), isText: true)
    }

    /// Replaces the secrets in JSON, up to where the text isn't JSON.
    ///
    /// If it breaks off within a secret, the rest counts as that secret.
    ///
    /// - Returns: The new text, where it ends in `bytes`, and whether `bytes` is JSON to its end.
    private mutating func redacted(
        json bytes: [UInt8]
    ) -> (text: [UInt8], end: Int, isWhole: Bool) {
        let first = bytes.first { $0 > 32 && !BodyText.byteOrderMark.contains($0) }
        guard let first, "{[\"".utf8.contains(first) else { return ([], 0, false) }
        var scanner = JSONScanner(bytes)
        var kept: [UInt8] = []
        var end = 0
        var name: ArraySlice<UInt8>?
        // The number of open containers, and how many there were when one with a secret's name was opened.
        var depth = 0
        var hidden: Int?
        func isSecret(_ isNumber: Bool) -> Bool {
            if hidden != nil { return true }
            return name.map { RecordedNames.areSecret(inJSON: $0, ofNumber: isNumber) } ?? false
        }
        while true {
            switch scanner.next() {
            case .open:
                if hidden == nil, isSecret(false) { hidden = depth }
                depth += 1
                name = nil
            case .close:
                depth -= 1
                if hidden == depth { hidden = nil }
            case .name(let range): name = bytes[range]
            case .string(let range):
                let value = bytes[range]
                kept += bytes[end..<range.lowerBound]
                if value.isEmpty || !isSecret(false) && !value.isJSONWebToken {
                    kept += redacted(string: Array(value))
                } else {
                    secrets.add(value)
                    kept += Self.sign.utf8
                }
                end = range.upperBound
                name = nil
            case .scalar(let range):
                let isNumber =
                    bytes[range.lowerBound] != UInt8(ascii: "n")
                    && bytes[range.lowerBound] != UInt8(ascii: "t")
                    && bytes[range.lowerBound] != UInt8(ascii: "f")
                if isNumber, isSecret(true) {
                    secrets.add(bytes[range])
                    kept += bytes[end..<range.lowerBound] + numberSign.utf8
                    end = range.upperBound
                }
                name = nil
            case .end: return (kept + bytes[end...], bytes.count, true)
            case .broken:
                let start = scanner.position
                kept += bytes[end..<start]
                let isString = bytes[start...].first == UInt8(ascii: "\"")
                let value = bytes[start...].dropFirst(isString ? 1 : 0)
                guard !value.isEmpty, isSecret(!isString) || isString && value.isJSONWebToken
                else { return (kept, start, false) }
                if isString { secrets.add(value) }
                kept += bytes[start..<value.startIndex] + Self.sign.utf8
                return (kept, bytes.count, false)
            }
        }
    }

    /// Replaces the secrets in the content of a string in JSON, whose escapes stay whole.
    private mutating func redacted(string text: [UInt8]) -> [UInt8] {
        let source = EscapedText(text)
        let plain = source.read(.backslash) ?? source
        var marks = [Bool](repeating: false, count: plain.bytes.count)
        marks.markAssignments(in: plain.bytes, onlySensitive: true)
        marks.markURLs(in: plain.bytes)
        marks.markElements(in: plain.bytes)
        guard marks.contains(true) else { return text }
        add(marks, in: plain.bytes)
        var escaped = [Bool](repeating: false, count: text.count)
        for (place, isMarked) in zip(plain.places, marks) where isMarked {
            for position in place { escaped[position] = true }
        }
        return Array(SafeText.replacing(escaped, in: text, by: Self.sign).utf8)
    }
}

extension ArchiveRedaction {
    /// Names stay even if a secret is the same word, because a replay compares them, and decoders look for them.
    private func scrubbed(_ text: String) -> String {
        let source = Array(text.utf8)
        var marks = secrets.marks(in: source)
        if marks.contains(true) { marks.unmarkNames(in: source) }
        return SafeText.replacing(marks, in: source, by: Self.sign)
    }

    /// A replay finds an exchange by its origin, which is no secret even if a password is the same word.
    private func scrubbed(url: String) -> String {
        guard let end = Self.authority(of: url)?.upperBound else { return scrubbed(url) }
        return String(url[..<end]) + scrubbed(String(url[end...]))
    }

    private func scrubbed(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.map { name, value in
                let isURL = Self.urlHeaders.contains(name.lowercased())
                return (name, isURL ? scrubbed(url: value) : scrubbed(value))
            })
    }

    private func scrubbed(_ body: Body) -> Body {
        guard body.missing == nil else { return body }
        guard secrets.isComplete || body.data.isEmpty else {
            return Body(missing: "\(body.data.count) bytes, with more secrets than were looked for")
        }
        guard body.isText else {
            guard secrets.marks(in: Array(body.data)).contains(true) else { return body }
            return Body(missing: "\(body.data.count) bytes that aren't text, with a secret")
        }
        let text = scrubbed(String(decoding: body.data, as: UTF8.self))
        let scrubbed = Body(data: Data(text.utf8), isText: true)
        // JSON stays JSON.
        guard JSONOutline(Array(body.data)).isWhole, !JSONOutline(Array(scrubbed.data)).isWhole
        else {
            return scrubbed
        }
        return Body(
            missing: "\(body.data.count) bytes of JSON, with secrets outside of its strings")
    }
}

extension [Bool] {
    /// Marks the secrets in each URL of a text, from "://" up to white space, a quote, "<" or ">".
    ///
    /// - Parameter areReferences: True if a word without "://" may be a relative URL.
    fileprivate mutating func markURLs(in text: [UInt8], areReferences: Bool = false) {
        for word in text.split(whereSeparator: { $0 <= 32 || "\"'<>".utf8.contains($0) }) {
            markURL(in: word, isReference: areReferences)
        }
    }

    /// Marks userinfo, and secrets in the query and the fragment.
    ///
    /// - Parameter isReference: True if the text is a URL or a relative one.
    fileprivate mutating func markURL(in text: ArraySlice<UInt8>, isReference: Bool) {
        var start = isReference ? text.startIndex : nil
        for slash in text.indices.dropLast()
        where text[slash] == UInt8(ascii: "/") && text[slash + 1] == UInt8(ascii: "/") {
            let isAtStart = isReference && slash == text.startIndex
            guard isAtStart || text[..<slash].last == UInt8(ascii: ":") else { continue }
            start = start ?? slash
            let authority = text[(slash + 2)...].prefix { !"/?#".utf8.contains($0) }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) { mark(authority[..<at]) }
        }
        guard let start else { return }
        let rest = text[start...].drop { !"?#".utf8.contains($0) }
        for part in rest.split(separator: UInt8(ascii: "#")) { markItems(in: part) }
    }

    /// Marks the secrets in a query or a form.
    ///
    /// An item begins behind "&", ";" or "?", because servers differ, and a secret ends at "&". An item without "="
    /// is a value.
    fileprivate mutating func markItems(in query: ArraySlice<UInt8>) {
        for part in query.split(separator: UInt8(ascii: "&")) {
            for item in part.split(whereSeparator: { ";?".utf8.contains($0) }) {
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                let isBare = name.endIndex == item.endIndex
                let value = isBare ? item : item[name.endIndex...].dropFirst()
                let word = Substring(decoding: name, as: UTF8.self)
                if value.isJSONWebToken
                    || !isBare && RecordedNames.areSecret(inForm: ArchiveQuery.decoded(word))
                {
                    mark(part[value.startIndex...])
                    break
                }
            }
        }
    }

    /// Marks the values of the cookies in a Set-Cookie header; several headers may have been joined by ",".
    fileprivate mutating func markCookies(in text: [UInt8]) {
        let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            // The first part is a cookie. The others are attributes, which a joined cookie may follow.
            var isCookie = index == 0
            for piece in part.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            {
                let isFirst = piece.startIndex == part.startIndex
                let pair = piece.drop { $0 <= 32 }
                let name = pair.prefix(while: HTTPHeaders.isTokenByte)
                let hasName = !name.isEmpty && pair[name.endIndex...].first == UInt8(ascii: "=")
                isCookie = isCookie || hasName && !isFirst
                guard isCookie else { continue }
                // A piece without a name continues the value before the ",".
                let start = hasName ? name.endIndex + 1 : piece.startIndex - (isFirst ? 0 : 1)
                mark(text[start..<piece.endIndex])
            }
        }
    }

    private mutating func mark(_ part: ArraySlice<UInt8>) {
        for position in part.indices { self[position] = true }
    }

    /// Marks all text in XML elements that have a secret's name, also in the elements within.
    ///
    /// If such an element isn't closed, the text up to the next element is marked.
    fileprivate mutating func markElements(in source: [UInt8]) {
        let tags = XMLTag.all(in: source)
        var closings: [ArraySlice<UInt8>: Int] = [:]
        for (index, tag) in tags.enumerated() where tag.kind == .closing {
            closings[tag.name] = index
        }
        // The element with a secret's name, and how many of that name are open.
        var hidden: (name: ArraySlice<UInt8>, isInside: Bool, depth: Int)?
        for (index, tag) in tags.enumerated() {
            var isSecret = hidden != nil
            let isSame = hidden?.name == tag.name && hidden?.isInside == tag.isInside
            switch tag.kind {
            case .opening where hidden == nil && SensitiveNames.contain(tag.localName):
                if closings[tag.name] ?? 0 > index { hidden = (tag.name, tag.isInside, 1) }
                isSecret = true
            case .opening where isSame: hidden?.depth += 1
            case .closing where isSame:
                hidden?.depth -= 1
                if hidden?.depth == 0 { (hidden, isSecret) = (nil, false) }
            default: break
            }
            guard isSecret else { continue }
            let end = index + 1 < tags.count ? tags[index + 1].range.lowerBound : source.count
            let text = tag.range.upperBound..<end
            guard source[text].contains(where: { $0 > 32 }) else { continue }
            for position in text { self[position] = true }
        }
    }
}

/// A tag in XML; or the beginning or the end of a comment or a CDATA section.
private struct XMLTag {
    enum Kind { case opening, closing, empty, other }

    let kind: Kind
    /// From "<" up to behind ">".
    let range: Range<Int>
    let name: ArraySlice<UInt8>
    /// True within a comment or a CDATA section, whose tags say nothing about the elements around it.
    let isInside: Bool

    /// The name without its namespace.
    var localName: ArraySlice<UInt8> {
        name[(name.lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? name.startIndex)...]
    }

    private static let sections: [(open: [UInt8], close: [UInt8])] = [
        (Array("<![CDATA[".utf8), Array("]]>".utf8)), (Array("<!--".utf8), Array("-->".utf8)),
    ]

    static func all(in source: [UInt8]) -> [XMLTag] {
        var tags: [XMLTag] = []
        var section: [UInt8]?
        var start = 0
        func add(_ kind: Kind, _ end: Int, _ name: ArraySlice<UInt8> = []) {
            let isInside = section != nil
            tags.append(XMLTag(kind: kind, range: start..<end, name: name, isInside: isInside))
            start = end
        }
        while start < source.count {
            let rest = source[start...]
            if let close = section, rest.starts(with: close) {
                section = nil
                add(.other, start + close.count)
            } else if rest.first != UInt8(ascii: "<") {
                start += 1
            } else if section == nil,
                let found = sections.first(where: { rest.starts(with: $0.open) })
            {
                add(.other, start + found.open.count)
                section = found.close
            } else {
                // A "<" that another one follows, or nothing, is text.
                let end = rest.dropFirst().firstIndex { "<>".utf8.contains($0) }
                guard let end, source[end] == UInt8(ascii: ">") else {
                    start += 1
                    continue
                }
                let isClosing = source[start + 1] == UInt8(ascii: "/")
                let name = source[(start + 1)..<end].dropFirst(isClosing ? 1 : 0)
                    .prefix { $0 > 32 && $0 != UInt8(ascii: "/") }
                let isEmpty = source[end - 1] == UInt8(ascii: "/")
                let kind: Kind = isClosing ? .closing : isEmpty ? .empty : .opening
                add(name.isEmpty ? .other : kind, end + 1, name)
            }
        }
        return tags
    }
}

extension Substring {
    /// The text before the first such byte, and the text behind it.
    func parts(at separator: UInt8) -> (Substring, Substring) {
        let start = utf8.prefix { $0 != separator }
        return (Substring(start), Substring(utf8[start.endIndex...].dropFirst()))
    }
}

/// The names in a recording whose values are secrets.
enum RecordedNames {
    private static let ofForms: Set<String> = [
        "key", "sig", "auth", "code", "codeverifier", "pin", "otp", "pw", "pass", "sid",
        "assertion",
        "clientassertion", "samlresponse", "passcode", "passphrase",
    ]
    private static let ofJSON: Set<String> = [
        "pin", "otp", "pass", "passcode", "passphrase", "sid", "assertion", "auth",
    ]
    /// Headers with a secret's name that hold none.
    private static let harmless: Set<String> = ["www-authenticate", "proxy-authenticate"]

    /// The words that announce secrets; if a secret is one of them, as on test servers, it isn't looked for elsewhere.
    static let words = ofForms.union(ofJSON).union(SensitiveNames.stems).union(["password"])

    static func areSecret(inHeader name: String) -> Bool {
        if HTTPHeaders.isHarmless(name) { return !HTTPHeaders.isShown(name) }
        if harmless.contains(name) || name.hasPrefix("access-control-") { return false }
        return ["auth", "key", "sign"].contains { name.contains($0) }
            || SensitiveNames.contain(name.utf8)
            // A code may be one of an error or a country.
            || name.split { "-_".contains($0) }
                .contains { $0 != "code" && ofForms.contains(String($0)) }
    }

    static func areSecret(inForm name: String) -> Bool {
        let word = String(decoding: name.utf8.filter(\.isLetterOrDigit), as: UTF8.self).lowercased()
        return !harmlessWords.contains(word)
            && (ofForms.contains(word) || SensitiveNames.contain(name.utf8))
    }

    /// - Parameter isNumber: True for a number, which may count tokens or seconds.
    static func areSecret(inJSON name: ArraySlice<UInt8>, ofNumber isNumber: Bool) -> Bool {
        let plain = EscapedText(name).read(.backslash)?.bytes[...] ?? name
        let word = String(decoding: plain.filter(\.isLetterOrDigit), as: UTF8.self).lowercased()
        guard ofJSON.contains(word) || SensitiveNames.contain(plain), !harmlessWords.contains(word)
        else { return false }
        return !isNumber || !ofCounts.contains { word.contains($0) }
    }

    private static let harmlessWords: Set<String> = ["tokentype", "issuedtokentype"]
    private static let ofCounts = ["tokens", "count", "expir", "timeout", "lifetime", "ttl", "age"]
}

extension Collection<UInt8> {
    /// True for three parts in Base64 with dots between, of which the first begins an object.
    fileprivate var isJSONWebToken: Bool {
        starts(with: "eyJ".utf8) && allSatisfy { $0.isLetterOrDigit || "-_.=".utf8.contains($0) }
            && split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).count >= 3
    }

    /// True for 20 letters, digits and signs of Base64 or more, with a letter and a digit.
    fileprivate var looksLikeOneToken: Bool {
        count >= 20 && allSatisfy { $0.isLetterOrDigit || "-_+=~/.".utf8.contains($0) }
            && looksLikeToken
    }
}
