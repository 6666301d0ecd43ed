import PledgeHTTPNetworking

/// The token of a request, with its number.
struct TokenGrant: Sendable {
    let token: AccessToken
    /// The sign-in that it belongs to; a new token of the same user has the same one.
    let signIn: SignIn
    /// The number of the token within its refresher.
    let number: Int
}
