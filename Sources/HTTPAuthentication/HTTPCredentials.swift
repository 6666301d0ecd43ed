public import PledgeFutures
package import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices

/// Credentials for requests.
public struct HTTPCredentials: Sendable {
    enum Kind: Sendable {
        /// A header that stays the same.
        case fixed(name: String, value: String, of: Principal)
        /// Credentials that a header can't hold.
        case invalid
        case refreshed(TokenRefresher)
        /// A name and a password, of which only hashes are sent.
        case digest(DigestSession)
    }

    let kind: Kind

    /// A name and a password, as UTF-8 (RFC 7617).
    ///
    /// The call rejects with `Endpoint.Error.invalidHeader(name:)` if the name contains a colon, or if the name or the
    /// password contains control characters. Such texts can't be sent.
    public static func basic(user: String, password: String) -> HTTPCredentials {
        let text = "\(user):\(password)"
        guard !hasControl(text), !user.utf8.contains(UInt8(ascii: ":")) else {
            return HTTPCredentials(kind: .invalid)
        }
        return .header("Authorization", "Basic \(Data(text.utf8).base64EncodedString())")
    }

    /// A name and a password for digest authentication (RFC 7616, RFC 2617 and RFC 2069).
    ///
    /// ```swift
    /// let camera = stack(
    ///     .redirect(),
    ///     .authorize(.digest(user: "Mufasa", password: "Circle of Life"), for: .origins(of: server)),
    ///     over: transport.send)
    /// ```
    ///
    /// The first request to an origin is sent without a digest, and further requests wait for its answer. If the answer
    /// is a 401 with a challenge, the request is sent again with a digest. From then on, requests get a digest at once:
    /// all requests to the origin, or those to the paths that the challenge names (`domain`). A nonce is used, and its
    /// uses are counted, until the server refuses the nonce as stale or sends the next one (Authentication-Info).
    ///
    /// If there are several challenges, the one with the strongest hash is used: SHA-256, then SHA-512-256, then MD5,
    /// with or without `-sess`. A challenge is ignored if its realm or nonce contains a control character, which a
    /// request must not hold. Challenges with other schemes than Digest are ignored too, so that a server can't ask for
    /// the password.
    ///
    /// If a digest with a new nonce gets another 401, that 401 is returned, because then the password is wrong. A 401
    /// to a request whose body can be sent only once is returned too; the next request then uses the nonce of that 401.
    /// If the server accepts only `auth-int`, a request whose body is a file or a stream fails with
    /// `HTTPError.Code.unsupported`.
    ///
    /// Put the `.authorize` with these credentials below `.redirect()`, because a digest is valid for one URL only. The
    /// credentials keep the nonces, so pass the same credentials to all stacks that call the server. You can use them
    /// from any thread. Name and password are sent as UTF-8. The call rejects with
    /// `Endpoint.Error.invalidHeader(name:)` if the name or the password contains control characters, which can't be
    /// sent.
    ///
    /// - Parameters:
    ///   - user: The name.
    ///   - password: The password. It's kept in memory, and never sent.
    ///   - random: The source of the client's nonces, 128 bits each. Pass another source only in tests.
    public static func digest(
        user: String, password: String, random: RandomSource = .system
    ) -> HTTPCredentials {
        guard !hasControl("\(user)\(password)") else { return HTTPCredentials(kind: .invalid) }
        let login = DigestLogin(user: user, password: password)
        return HTTPCredentials(kind: .digest(DigestSession(login, random: random)))
    }

    private static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// A token that doesn't change (RFC 6750).
    public static func bearer(_ token: String) -> HTTPCredentials {
        .header("Authorization", "Bearer \(token)")
    }

    /// A token that is renewed when the server refuses it, or shortly before it expires.
    public static func bearer(from refresher: TokenRefresher) -> HTTPCredentials {
        HTTPCredentials(kind: .refreshed(refresher))
    }

    /// A header of your own, such as X-API-Key.
    public static func header(_ name: String, _ value: String) -> HTTPCredentials {
        HTTPCredentials(
            kind: .fixed(name: name, value: value, of: .holder(of: value, in: name)))
    }
}

extension HTTPCredentials {
    /// Tells a cache, later, when the user of these credentials signs out; only a refresher's user can.
    ///
    /// - Parameter account: The name that the app has given to the account, if any.
    package func inform(_ cache: any UserForgetting, account: String?) {
        if case .refreshed(let refresher) = kind { refresher.inform(cache, account: account) }
    }
}

extension HTTPCredentials: DescriptionOnly {
    /// A constant text, without the content.
    public var description: String { "credentials" }
}
