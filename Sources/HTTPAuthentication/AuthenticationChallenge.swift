import PledgeHTTPNetworking

/// A server's challenge (RFC 9110, section 11.3).
struct AuthenticationChallenge: Equatable, Sendable {
    /// The scheme, in lower case.
    let scheme: String

    /// The parameters, with lowercase names, and values without quotation marks.
    var parameters: [String: String] = [:]

    /// True if the transport has kept the field's bytes, so that each character of the values stands for one byte.
    var isLatin1 = false

    /// True if the challenge breaks the grammar, or has a parameter twice.
    var isMalformed = false

    /// Returns the challenges in all fields with the given name, in order.
    static func all(
        in headers: HTTPHeaders, of name: String = "WWW-Authenticate"
    ) -> [AuthenticationChallenge] {
        headers.received(name).flatMap { parse($0, beginningWith: nil) }
    }

    /// Returns the parameters of a field without a scheme, such as Authentication-Info; nil if it's malformed.
    static func parameters(of value: String) -> [String: String]? {
        withoutScheme(ReceivedValue(text: value))?.parameters
    }

    /// Parses a field without a scheme; returns nil if it's malformed.
    static func withoutScheme(_ value: ReceivedValue) -> AuthenticationChallenge? {
        let all = parse(value, beginningWith: AuthenticationChallenge(scheme: ""))
        guard all.count == 1, let fields = all.first, !fields.isMalformed else { return nil }
        return fields
    }

    private static func parse(
        _ value: ReceivedValue, beginningWith first: AuthenticationChallenge?
    ) -> [AuthenticationChallenge] {
        let bytes = value.keptBytes
        let text = bytes.map { HTTPHeaders.text(ofLatin1: $0) }
        var parser = AuthenticationParser(text ?? value.text)
        return parser.challenges(beginningWith: first).map { challenge in
            var challenge = challenge
            challenge.isLatin1 = bytes != nil
            return challenge
        }
    }

    /// Returns a parameter to send back to the server, with one character for each byte.
    ///
    /// - Returns: Nil if the parameter is absent, or if a request must not hold it.
    func returnable(_ name: String) -> String? {
        guard let text = parameters[name] else { return nil }
        let bytes = isLatin1 ? HTTPHeaders.bytes(ofLatin1: text) : nil
        return ReceivedValue(text: text, bytes: bytes).returnable
            .map { HTTPHeaders.text(ofLatin1: $0) }
    }
}

/// A parser of a list of challenges (RFC 9110, sections 11.2 and 11.6.1).
///
/// Commas separate parameters as well as challenges. A word before an equals sign is a parameter; any other word begins
/// a challenge. A malformed part invalidates only its own challenge. Parsing ends at a quoted string that isn't closed.
struct AuthenticationParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ value: String) { bytes = Array(value.utf8) }

    /// Returns the challenges, in order.
    ///
    /// - Parameter first: The challenge for parameters that come before the first scheme; nil to ignore them.
    mutating func challenges(
        beginningWith first: AuthenticationChallenge? = nil
    ) -> [AuthenticationChallenge] {
        var all = first.map { [$0] } ?? []
        while skipSeparators() {
            let word = readWord()
            skipSpaces()
            if !word.isEmpty, !isAt(Self.equals) {
                all.append(AuthenticationChallenge(scheme: word))
                skipCredentials()
                continue
            }
            // A parameter before the first challenge is ignored.
            let value = readValue()
            if let last = all.indices.last { all[last].add(word, value) }
        }
        return all
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
    private static let equals = UInt8(ascii: "=")

    private func isAt(_ byte: UInt8) -> Bool { position < bytes.count && bytes[position] == byte }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while position < bytes.count, condition(bytes[position]) { position += 1 }
    }

    private mutating func skipSpaces() { skip(while: \.isSpace) }

    /// Advances to the next word; returns false at the end.
    private mutating func skipSeparators() -> Bool {
        skip { $0.isSpace || $0 == Self.comma }
        return position < bytes.count
    }

    /// Reads a token, and returns it in lower case; returns an empty text if there is none.
    private mutating func readWord() -> String {
        let start = position
        skip(while: HTTPHeaders.isTokenByte)
        return String(decoding: bytes[start..<position].map(\.lowercased), as: UTF8.self)
    }

    /// Skips the token68 that schemes such as Negotiate have in place of parameters, up to the next comma.
    private mutating func skipCredentials() {
        let start = position
        skip { $0.isLetterOrDigit || "-._~+/".utf8.contains($0) }
        skip { $0 == Self.equals }
        skipSpaces()
        if position < bytes.count, bytes[position] != Self.comma { position = start }
    }

    /// Reads the value after an equals sign, up to the next comma; returns nil if it's malformed.
    private mutating func readValue() -> String? {
        guard isAt(Self.equals) else { return restIsEmpty() ? "" : nil }
        position += 1
        skipSpaces()
        var value: String?
        if isAt(Self.quote) {
            value = readQuoted()
        } else {
            let start = position
            skip(while: HTTPHeaders.isTokenByte)
            if start < position { value = String(decoding: bytes[start..<position], as: UTF8.self) }
        }
        return restIsEmpty() ? value : nil
    }

    /// Advances to the next comma, and returns whether only white space came before it.
    private mutating func restIsEmpty() -> Bool {
        let start = position
        skip { $0 != Self.comma }
        return bytes[start..<position].allSatisfy(\.isSpace)
    }

    /// Reads the content of a quoted string; if it isn't closed, returns nil and consumes everything.
    private mutating func readQuoted() -> String? {
        var content: [UInt8] = []
        position += 1
        while position < bytes.count {
            if isAt(Self.quote) {
                position += 1
                return String(decoding: content, as: UTF8.self)
            }
            if isAt(UInt8(ascii: "\\")) { position += 1 }
            if position < bytes.count { content.append(bytes[position]) }
            position += 1
        }
        position = bytes.count
        return nil
    }
}

extension AuthenticationChallenge {
    fileprivate mutating func add(_ name: String, _ value: String?) {
        guard let value, !name.isEmpty, parameters[name] == nil else {
            isMalformed = true
            return
        }
        parameters[name] = value
    }
}
