import HTTPNetworking

/// The token that a request is sent with, and which one that is.
struct TokenGrant: Sendable {
    let token: AccessToken
    /// Whose it is; a new token of theirs has the same.
    let signIn: SignIn
    /// Which of a refresher's tokens it is.
    let number: Int
}
