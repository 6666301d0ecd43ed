import PledgeHTTPMessages
import PledgeHTTPText

/// Replaces the secrets of an exchange before it's recorded.
///
/// ``SecretFinder`` finds the secrets in URLs, headers and bodies. Headers with a secret's name, cookies, and values that
/// look like tokens are replaced too. What is replaced in one place is replaced wherever the exchange repeats it.
struct ArchiveRedaction {
    /// What was replaced, to find it elsewhere in the exchange.
    private var secrets = KnownSecrets(sparing: SensitiveNames.common)

    /// Identifiers and dates that aren't replaced, although they repeat a part of a secret.
    private var kept: Set<ArraySlice<UInt8>> = []

    /// True for a response, in which 0 replaces a secret number, because the client's decoder expects a number.
    private var isAnswer = false

    private static let sign = HTTPArchive.redacted

    /// The headers whose value is a URL.
    private static let urlHeaders: Set<String> = ["location", "content-location", "referer"]

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
        redaction.isAnswer = true
        var answer = redaction.redacted(
            entry.response?.body ?? Data(), type: answerHeaders["Content-Type"],
            coding: answerHeaders, isCut: entry.failure != nil)
        // By now, all secrets are known. The bodies come first, because they show which words of the URL are identifiers.
        answer = redaction.scrubbed(answer)
        body = redaction.scrubbed(body)
        answerHeaders = redaction.scrubbed(answerHeaders)
        headers = redaction.scrubbed(headers)
        url = redaction.scrubbed(url: url)
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
        redacted(Array(url.utf8.prefix { $0 != UInt8(ascii: "#") }), as: .url)
    }

    private mutating func redacted(_ text: [UInt8], as reading: SecretFinder.Reading) -> String {
        String(decoding: redactedBytes(text, as: reading), as: UTF8.self)
    }

    /// Replaces the secrets of a text, and notes them.
    private mutating func redactedBytes(
        _ text: [UInt8], as reading: SecretFinder.Reading
    ) -> [UInt8] {
        let found = SecretFinder.secrets(in: text, as: reading)
        for secret in found {
            if case .userinfo = secret.kind {
                secrets.add(userinfo: Substring(decoding: secret.value, as: UTF8.self))
            } else {
                secrets.add(secret.value)
            }
        }
        return text.replacing(found, by: Self.sign) { isNested in
            isAnswer ? "0" : isNested ? Self.sign : "\"\(Self.sign)\""
        }
    }

    /// Replaces what `mark` marks.
    private mutating func redacted(_ text: [UInt8], _ mark: (inout [Bool]) -> Void) -> String {
        var marks = [Bool](repeating: false, count: text.count)
        mark(&marks)
        for run in text.indices.split(whereSeparator: { !marks[$0] }) { secrets.add(text[run]) }
        return SafeText.replacing(marks, in: text, by: Self.sign)
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
        case "link", "refresh": return redacted(Array(value.utf8), as: .references)
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
                SecretHeaders.contain(name)
                    || !HTTPHeaders.isHarmless(name) && !SecretHeaders.isIdentifier(name)
                        && value.utf8.looksLikeOneToken
                    || value.utf8.isJSONWebToken
            else { return redacted(Array(value.utf8), as: .text) }
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
        let first = bytes.first { $0 > 32 && !BodyText.byteOrderMark.contains($0) }
        let isForm =
            media == "application/x-www-form-urlencoded"
            && first.map { !"{[".utf8.contains($0) } ?? true
            || BodyText.looksLikeForm(bytes)
        let text = redactedBytes(bytes, as: isForm ? .form : .text)
        return Body(data: Data(text), isText: true)
    }
}

extension ArchiveRedaction {
    /// Replaces known secrets, but not names that are the same word: a replay compares names, and decoders look for them.
    private mutating func scrubbed(_ text: String) -> String {
        let source = Array(text.utf8)
        var marks = secrets.marks(in: source)
        if marks.contains(true) {
            unmarkIdentifiers(&marks, in: source)
            marks.unmarkNames(in: source)
        }
        return SafeText.replacing(marks, in: source, by: Self.sign)
    }

    /// Replaces known secrets behind the origin, by which a replay finds the exchange, even if a password is the same.
    private mutating func scrubbed(url: String) -> String {
        guard let end = Self.authority(of: url)?.upperBound else { return scrubbed(url) }
        return String(url[..<end]) + scrubbed(String(url[end...]))
    }

    private mutating func scrubbed(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.map { name, value in
                let isURL = Self.urlHeaders.contains(name.lowercased())
                return (name, isURL ? scrubbed(url: value) : scrubbed(value))
            })
    }

    private mutating func scrubbed(_ body: Body) -> Body {
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
        guard scrubbed.data != body.data else { return body }
        // JSON stays JSON.
        guard JSONOutline(Array(body.data)).isWhole, !JSONOutline(Array(scrubbed.data)).isWhole
        else {
            return scrubbed
        }
        return Body(
            missing: "\(body.data.count) bytes of JSON, with secrets outside of its strings")
    }
}

extension ArchiveRedaction {
    /// Unmarks identifiers and dates that only repeat a part of a secret.
    ///
    /// A PaymentIntent's `id` begins its `client_secret`, and the date of a signature is in its credential. Such a value
    /// is recognised as the whole value of a name such as "id" or "date", or because it begins and ends with a text of
    /// its own. It then stays wherever it's repeated. A value that holds a whole secret never stays.
    private mutating func unmarkIdentifiers(_ marks: inout [Bool], in source: [UInt8]) {
        var words: [Range<Int>] = []
        var position = 0
        while let mark = marks[position...].firstIndex(of: true) {
            // The words before `position` were handled already.
            let before = source[position..<mark].lastIndex { !Self.isOfIdentifier($0) }
            let start = before.map { $0 + 1 } ?? position
            let end = source[mark...].firstIndex { !Self.isOfIdentifier($0) } ?? source.endIndex
            position = max(end, mark + 1)
            let word = source[start..<end]
            guard (8...64).contains(word.count), !secrets.hold(in: word) else { continue }
            words.append(start..<end)
            if Self.isIdentifier(word, marks[start..<end], in: source) { kept.insert(word) }
        }
        for word in words where kept.contains(source[word]) {
            for position in word { marks[position] = false }
        }
    }

    private static func isOfIdentifier(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func isIdentifier(
        _ word: ArraySlice<UInt8>, _ marks: ArraySlice<Bool>, in source: [UInt8]
    ) -> Bool {
        let before = source[..<word.startIndex]
        let quote = before.last == UInt8(ascii: "\"")
        // In JSON in a string, the quotes have backslashes; another escape may go on with the secret.
        let behind = source[word.endIndex...].drop { quote && $0 == UInt8(ascii: "\\") }.first
        guard quote || before.last == UInt8(ascii: "="),
            behind.map({ $0 == (quote ? UInt8(ascii: "\"") : UInt8(ascii: "&")) }) ?? !quote
        else { return false }
        // Between the name and the value in JSON lie quotes, spaces and a colon.
        let sign = before.suffix(16).lastIndex { !" \"\\".utf8.contains($0) }
        guard let sign, "=:".utf8.contains(source[sign]) else { return false }
        let name = AssignedValues.name(before: sign, in: source[...])
        let last = String(
            decoding: SensitiveNames.folded(SensitiveNames.lastWord(of: name)), as: UTF8.self)
        if ["id", "ids", "date", "at"].contains(last) { return true }
        let (own, end) = (marks.prefix { !$0 }.count, marks.reversed().prefix { !$0 }.count)
        return own >= 2 && end >= 4 && Set(word.suffix(end)).count >= 3
    }
}

extension [Bool] {
    /// Unmarks the names of JSON members, query items and form fields.
    ///
    /// A name with a digit stays marked, because it may be a secret.
    fileprivate mutating func unmarkNames(in source: [UInt8]) {
        for sign in source.indices where "=:".utf8.contains(source[sign]) {
            let name = AssignedValues.name(before: sign, in: source[...])
            let start = source[..<name.startIndex]
            let isName =
                if source[sign] == UInt8(ascii: "=") {
                    start.last.map { "?&;".utf8.contains($0) } ?? true
                } else {
                    start.last == UInt8(ascii: "\"")
                        && start.dropLast().last { $0 > 32 && $0 != UInt8(ascii: "\\") }
                            .map { "{,".utf8.contains($0) } ?? false
                }
            guard isName, !name.contains(where: \.isDigit) else { continue }
            for position in name.indices { self[position] = false }
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
}

extension Substring {
    /// The text before the first such byte, and the text behind it.
    func parts(at separator: UInt8) -> (Substring, Substring) {
        let start = utf8.prefix { $0 != separator }
        return (Substring(start), Substring(utf8[start.endIndex...].dropFirst()))
    }
}

extension Collection<UInt8> {
    /// True for 20 letters, digits and signs of Base64 or more, with a letter and a digit.
    fileprivate var looksLikeOneToken: Bool {
        count >= 20 && allSatisfy { $0.isLetterOrDigit || "-_+=~/.".utf8.contains($0) }
            && looksLikeToken
    }
}

extension BodyText {
    /// Returns whether bodies of a media type are text, JSON, XML or forms.
    fileprivate static func isTextual(_ type: String) -> Bool {
        type.hasPrefix("text/") || type.contains("json")
            || ["xml", "form-urlencoded"].contains { type.hasSuffix($0) }
    }
}

extension [UInt8] {
    /// The bytes with a sign in place of each secret.
    ///
    /// - Parameters:
    ///   - secrets: The secrets, in order.
    ///   - sign: The sign of texts.
    ///   - number: Returns the sign of a number.
    func replacing(
        _ secrets: [SecretFinder.Secret], by sign: String, number: (_ isNested: Bool) -> String
    ) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(count)
        var end = 0
        for secret in secrets {
            kept += self[end..<secret.place.lowerBound]
            if case .number(let isNested) = secret.kind {
                kept += number(isNested).utf8
            } else {
                kept += sign.utf8
            }
            end = secret.place.upperBound
        }
        return kept + self[end...]
    }
}
