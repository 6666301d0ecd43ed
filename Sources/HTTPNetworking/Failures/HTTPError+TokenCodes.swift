extension HTTPError.Code {
    /// The server refused the token, or it had expired, and there is no new one; the error's cause is the
    /// reason.
    public static let tokenRefreshFailed = HTTPError.Code(
        rawValue: "tokenRefreshFailed", description: "no new access token could be had")
    /// The server does not accept the refresh token any more, so nothing is refreshed until a user
    /// signs in; the error's cause is the server's answer.
    public static let signInNeeded = HTTPError.Code(
        rawValue: "signInNeeded", description: "the refresh token is not valid any more: sign in")
    /// No user is signed in, or a user signed in or out while the request waited for a token, before a redirect was
    /// followed, or before a further attempt.
    public static let sessionEnded = HTTPError.Code(
        rawValue: "sessionEnded", description: "the session ended: sign in and ask again")
}
