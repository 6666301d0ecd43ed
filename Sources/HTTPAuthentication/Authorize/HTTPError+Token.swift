import PledgeHTTPNetworking
import PledgeServices

extension HTTPError {
    /// The error if there is no new token.
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

/// A user signed in or out while a request waited.
struct SessionEnded: Error {}
