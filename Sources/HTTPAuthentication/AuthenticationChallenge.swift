import PledgeHTTPMessages
import PledgeHTTPText

/// A server's challenge (RFC 9110, section 11.3).
struct AuthenticationChallenge: Equatable, Sendable {
    /// The scheme, such as "bearer", in lower case.
    let scheme: String

    /// The parameters, with lowercase names, and values without quotation marks.
    var parameters: [String: String] = [:]

    /// True if each character of the values stands for one byte, because the field isn't UTF-8.
    var isLatin1 = false

    /// True if the challenge breaks the grammar, or has a parameter twice.
    var isMalformed = false

    /// Returns the challenges of all fields with this name, in order.
    static func all(
        in headers: HTTPHeaders, of name: String = "WWW-Authenticate"
    ) -> [AuthenticationChallenge] {
        headers.received(name).flatMap { parse($0, beginningWith: nil) }
    }

    /// Returns the parameters of a field that has no scheme, such as Authentication-Info; nil if it's malformed.
    static func parameters(of value: String) -> [String: String]? {
        withoutScheme(ReceivedValue(text: value))?.parameters
    }

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

    /// Returns a parameter to send back, one character per byte; nil if it's absent, or if a header can't hold it.
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
    private var reader: FieldReader

    init(_ value: String) { reader = FieldReader(value) }

    /// Returns the challenges, in order.
    ///
    /// - Parameter first: Gets the parameters that stand before the first scheme; nil to ignore them.
    mutating func challenges(
        beginningWith first: AuthenticationChallenge? = nil
    ) -> [AuthenticationChallenge] {
        var all = first.map { [$0] } ?? []
        while reader.nextMember() {
            let word = reader.token().lowercased()
            reader.skipSpaces()
            if !word.isEmpty, reader.next != UInt8(ascii: "=") {
                all.append(AuthenticationChallenge(scheme: word))
                skipCredentials()
                continue
            }
            // No challenge has begun yet, so this parameter is ignored.
            let value = readValue()
            if let last = all.indices.last { all[last].add(word, value) }
        }
        return all
    }

    /// Skips a token68, which schemes such as Negotiate have in place of parameters, up to the next comma.
    private mutating func skipCredentials() {
        let start = reader
        reader.skip { $0.isLetterOrDigit || "-._~+/".utf8.contains($0) }
        reader.skip { $0 == UInt8(ascii: "=") }
        reader.skipSpaces()
        if let next = reader.next, next != UInt8(ascii: ",") { reader = start }
    }

    /// Reads the value after an equals sign, up to the next comma; returns nil if it's malformed.
    private mutating func readValue() -> String? {
        guard reader.skip("=") else { return reader.endMember() ? "" : nil }
        reader.skipSpaces()
        let value: String?
        if let quoted = reader.quotedString() {
            value = quoted.isClosed ? quoted.content : nil
        } else {
            let token = reader.token()
            value = token.isEmpty ? nil : token
        }
        return reader.endMember() ? value : nil
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
