import PledgeHTTPNetworking

/// A parser of a list of challenges (RFC 9110, sections 11.2 and 11.6.1).
///
/// A comma separates parameters as well as challenges: a word before an equals sign is a parameter, and any
/// other word begins a challenge. A malformed part invalidates only its own challenge, except a quoted string
/// that does not end, after which nothing is parsed.
struct AuthenticationParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ value: String) { bytes = Array(value.utf8) }

    /// The challenges, in order.
    ///
    /// - Parameter first: The challenge of parameters before the first scheme; nil for none.
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
            // A parameter without a challenge invalidates nothing.
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

    /// Advances to the next word, if there is one.
    private mutating func skipSeparators() -> Bool {
        skip { $0.isSpace || $0 == Self.comma }
        return position < bytes.count
    }

    /// A token in lower case; empty if there is none.
    private mutating func readWord() -> String {
        let start = position
        skip(while: HTTPHeaders.isTokenByte)
        return String(decoding: bytes[start..<position].map(\.lowercased), as: UTF8.self)
    }

    /// Skips the token68 that a scheme such as Negotiate has instead of parameters, to the next comma.
    private mutating func skipCredentials() {
        let start = position
        skip { $0.isLetterOrDigit || "-._~+/".utf8.contains($0) }
        skip { $0 == Self.equals }
        skipSpaces()
        if position < bytes.count, bytes[position] != Self.comma { position = start }
    }

    /// The value after an equals sign, up to the next comma; nil if it is malformed.
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

    /// Advances to the next comma.
    ///
    /// - Returns: Whether there was only white space before it.
    private mutating func restIsEmpty() -> Bool {
        let start = position
        skip { $0 != Self.comma }
        return bytes[start..<position].allSatisfy(\.isSpace)
    }

    /// The content of a quoted string; nil, and everything is consumed, if it does not end.
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
