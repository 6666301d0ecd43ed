import PledgeHTTPNetworking

/// One challenge of a server (RFC 9110, section 11.3).
struct AuthenticationChallenge: Equatable {
    /// The scheme, in lower case.
    let scheme: String

    /// The parameters; names in lower case, values without quotation marks.
    var parameters: [String: String] = [:]

    /// Whether a character of a value stands for a byte, which a transport has kept.
    var isLatin1 = false

    /// Whether it is not valid by the grammar, or has a parameter twice.
    var isMalformed = false

    /// The challenges of all fields of a name, in order.
    static func all(
        in headers: HTTPHeaders, of name: String = "WWW-Authenticate"
    ) -> [AuthenticationChallenge] {
        headers.received(name).flatMap { parse($0, beginningWith: nil) }
    }

    /// The parameters of a field that has no scheme, such as Authentication-Info; nil if it is malformed.
    static func parameters(of value: String) -> [String: String]? {
        withoutScheme(ReceivedValue(text: value))?.parameters
    }

    /// A field that has no scheme; nil if it is malformed.
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

    /// A parameter that goes back to the server, a character for each byte; nil if no request may hold it.
    func returnable(_ name: String) -> String? {
        guard let text = parameters[name] else { return nil }
        let bytes = isLatin1 ? HTTPHeaders.bytes(ofLatin1: text) : nil
        return ReceivedValue(text: text, bytes: bytes).returnable
            .map { HTTPHeaders.text(ofLatin1: $0) }
    }
}

extension AuthenticationChallenge: Sendable {}
