import HTTPNetworking

/// One challenge of a server (RFC 9110, section 11.3).
struct AuthenticationChallenge: Equatable {
    /// The scheme, in lower case.
    let scheme: String

    /// The parameters; names in lower case, values without quotation marks.
    var parameters: [String: String] = [:]

    /// Whether it is not valid by the grammar, or has a parameter twice.
    var isMalformed = false

    /// The challenges of all fields of a name, in order.
    static func all(
        in headers: HTTPHeaders, of name: String = "WWW-Authenticate"
    ) -> [AuthenticationChallenge] {
        headers.values(for: name).flatMap { value in
            var parser = AuthenticationParser(value)
            return parser.challenges()
        }
    }

    /// The parameters of a field that has no scheme, such as Authentication-Info; nil if it is malformed.
    static func parameters(of value: String) -> [String: String]? {
        var parser = AuthenticationParser(value)
        let all = parser.challenges(beginningWith: AuthenticationChallenge(scheme: ""))
        guard all.count == 1, let fields = all.first, !fields.isMalformed else { return nil }
        return fields.parameters
    }
}

extension AuthenticationChallenge: Sendable {}
