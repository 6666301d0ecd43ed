import PledgeHTTPNetworking
public import PledgeServices

extension TokenRefresher {
    /// The error of a refresh whose refresh token is not valid any more.
    ///
    /// An `HTTPError` whose response has the status 400 or 401 and the JSON `{"error":"invalid_grant"}`
    /// (RFC 6749, section 5.2) means the same. Throw this if your server reports it differently.
    public struct InvalidGrant: Error {
        /// Makes the error.
        public init() {}
    }
}

extension TokenRefresher.InvalidGrant: CodedError {
    /// The word of RFC 6749.
    public var loggedCode: String { "invalid_grant" }
}

extension Error {
    /// Whether each further refresh will fail with this error.
    var isInvalidGrant: Bool {
        if self is TokenRefresher.InvalidGrant { return true }
        guard let response = (self as? HTTPError)?.response, [400, 401].contains(response.status)
        else { return false }
        let answer = try? JSONDecoder().decode(TokenErrorAnswer.self, from: response.body)
        return answer?.error == "invalid_grant"
    }
}

/// The error answer of a token endpoint (RFC 6749, section 5.2).
private struct TokenErrorAnswer: Decodable {
    let error: String
}
