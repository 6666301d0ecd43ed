import PledgeHTTPNetworking
public import PledgeServices

/// The credentials of a request.
public struct HTTPCredentials: Sendable {
    enum Kind: Sendable {
        /// A header that stays the same.
        case fixed(name: String, value: String, of: Principal)
        /// Credentials that cannot be sent.
        case invalid
        /// A token that is renewed.
        case refreshed(TokenRefresher)
        /// A name and a password that are never sent.
        case digest(DigestSession)
    }

    let kind: Kind

    /// A name and a password, as UTF-8 (RFC 7617).
    ///
    /// A name with a colon and control characters in either cannot be sent: the call then rejects with
    /// `Endpoint.Error.invalidHeader(name:)`.
    public static func basic(user: String, password: String) -> HTTPCredentials {
        let text = "\(user):\(password)"
        guard !hasControl(text), !user.utf8.contains(UInt8(ascii: ":")) else {
            return HTTPCredentials(kind: .invalid)
        }
        return .header("Authorization", "Basic \(Data(text.utf8).base64EncodedString())")
    }

    /// A name and a password, as UTF-8, which are proved by digests over the server's challenge (RFC 7616,
    /// RFC 2617 and RFC 2069).
    ///
    /// ```swift
    /// let camera = stack(
    ///     .redirect(),
    ///     .authorize(.digest(user: "Mufasa", password: "Circle of Life"), for: .origins(of: server)),
    ///     over: transport.send)
    /// ```
    ///
    /// The first request to an origin is sent without a digest, and again with one after the 401 and its
    /// challenge; requests that come meanwhile wait for that challenge. From then on a request is sent with a
    /// digest at once, to the origin or to those of its paths that the challenge names (`domain`). The nonce
    /// is used until the server refuses it as stale or sends the next one (Authentication-Info), and its uses
    /// are counted. If there are several challenges, the one with the strongest hash is taken: SHA-256,
    /// SHA-512-256, then MD5, with `-sess` or without. A challenge whose realm or nonce no request may hold, for
    /// a control character, is not answered. Any other scheme than Digest is never answered, so
    /// that a server cannot ask for the password.
    ///
    /// A 401 to a new digest is returned: the password is wrong. A 401 to a request whose body can
    /// be sent only once is returned too; the next request then has a nonce. If the server accepts
    /// only `auth-int`, a request whose body is a file or a stream fails with
    /// `HTTPError.Code.unsupported`.
    ///
    /// Put it beneath `.redirect()`: a digest is for one URL. The nonces belong to these credentials: pass
    /// the same ones to all stacks that call the server. They may be used from any thread. Control characters
    /// cannot be sent: the call then rejects with `Endpoint.Error.invalidHeader(name:)`.
    ///
    /// - Parameters:
    ///   - user: The name.
    ///   - password: The password. It is kept in memory, and never sent.
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

    /// A token that stays the same (RFC 6750).
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

extension HTTPCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// A constant text, without the content.
    public var description: String { "credentials" }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
