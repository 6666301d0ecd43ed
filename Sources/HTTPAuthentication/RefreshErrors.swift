import PledgeHTTPMessages
import PledgeServices

extension Error {
    /// True if every later refresh would fail in this way too.
    package var isInvalidGrant: Bool {
        if self is TokenRefresher.InvalidGrant { return true }
        guard let response = (self as? HTTPError)?.response, [400, 401].contains(response.status)
        else { return false }
        let answer = try? JSONDecoder().decode(TokenErrorAnswer.self, from: response.body)
        return answer?.error == "invalid_grant"
    }
}

/// What a token endpoint answers to a failed request (RFC 6749, section 5.2).
private struct TokenErrorAnswer: Decodable {
    let error: String
}

extension HTTPError {
    /// The error of a call that got no new token.
    init(
        refreshing error: any Error, request: HTTPRequest? = nil, response: HTTPResponse? = nil
    ) {
        let hasEnded = error is SessionEnded
        let failed: Code = error.isInvalidGrant ? .signInNeeded : .tokenRefreshFailed
        self.init(
            code: hasEnded ? .sessionEnded : failed, request: request, response: response,
            cause: hasEnded ? nil : error)
    }
}

/// The error of a refresh that waits for its own result.
struct RefreshWithinItself: Error, CallerError {}

/// The error of a request that waited while a user signed in or out.
struct SessionEnded: Error {}
