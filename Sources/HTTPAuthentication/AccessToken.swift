public import PledgeFutures
package import PledgeHTTPMessages

/// A server's access token and its lifetime (RFC 6749, section 5.1).
///
/// ```swift
/// let token = try JSONDecoder().decode(AccessToken.self, from: response.body)
/// ```
///
/// A token is encoded with the keys of an authorization server: `access_token`, `token_type` and `refresh_token`.
/// Instead of the lifetime, the encoded token has `expires_at`, the date when the lifetime ends, in seconds since 1970.
/// So an encoded token stays correct however long it's stored. A refresher's token also has `pledge_sign_in`, a random
/// name of its sign-in, by which a ``TokenRefresher`` knows a stored token of the same user.
public struct AccessToken: Hashable, Sendable {
    /// The token itself.
    public var value: String

    /// The scheme before the token in the header, usually "Bearer".
    public var type: String

    /// How long the token stays valid after a ``TokenRefresher`` has received it; nil if that's unknown.
    ///
    /// For a decoded token, this is the rest of the lifetime, or zero if the token expired while it was stored.
    public var lifetime: Duration? { didSet { start = .now } }

    /// When the lifetime was set; the token expires `lifetime` later.
    @Uncompared private var start = Date.now

    /// The refresh token, which gets the next access token.
    ///
    /// If a new access token comes without a refresh token, the old refresh token is kept (RFC 6749, section 6).
    public var refreshToken: String?

    /// The name of the sign-in that the token belongs to; nil if the sign-in is known to this process only.
    ///
    /// A refresher replaces the name in a server's answer with its own.
    @Uncompared package var signIn: String?

    /// Creates a token.
    public init(
        _ value: String, type: String = "Bearer", lifetime: Duration? = nil,
        refreshToken: String? = nil
    ) {
        self.value = value
        self.type = type
        self.lifetime = lifetime
        self.refreshToken = refreshToken
    }

    var authorization: String {
        // Some servers send "bearer" but then require "Bearer".
        "\(type.lowercased() == "bearer" ? "Bearer" : type) \(value)"
    }

    /// True if a header may hold the token.
    var isReturnable: Bool { HTTPHeaders.isReturnable(authorization) }
}

extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case value = "access_token"
        case type = "token_type"
        case lifetime = "expires_in"
        case end = "expires_at"
        case refreshToken = "refresh_token"
        case signIn = "pledge_sign_in"
    }

    /// The keys of `CodingKeys` in camel case, for decoders that convert keys from snake case.
    private enum ConvertedKeys: String, CodingKey {
        case value = "accessToken"
        case type = "tokenType"
        case lifetime = "expiresIn"
        case end = "expiresAt"
        case refreshToken
        case signIn = "pledgeSignIn"
    }

    /// Decodes a server's token response or an encoded token; only `access_token` is required.
    ///
    /// The decoder may convert keys from snake case. The end of the lifetime is read from `expires_at`, in seconds
    /// since 1970. If that key is absent, the remaining seconds are read from `expires_in`.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let converted = try decoder.container(keyedBy: ConvertedKeys.self)
        if converted.contains(.value) {
            try self.init(
                converted, value: .value, type: .type, lifetime: .lifetime, end: .end,
                refreshToken: .refreshToken, signIn: .signIn)
        } else {
            try self.init(
                decoder.container(keyedBy: CodingKeys.self), value: .value, type: .type,
                lifetime: .lifetime, end: .end, refreshToken: .refreshToken, signIn: .signIn)
        }
    }

    private init<Key: CodingKey>(
        _ fields: KeyedDecodingContainer<Key>, value valueKey: Key, type typeKey: Key,
        lifetime lifetimeKey: Key, end endKey: Key, refreshToken refreshTokenKey: Key,
        signIn signInKey: Key
    ) throws {
        value = try fields.decode(String.self, forKey: valueKey)
        type = try fields.decodeIfPresent(String.self, forKey: typeKey) ?? "Bearer"
        refreshToken = try fields.decodeIfPresent(String.self, forKey: refreshTokenKey)
        signIn = try? fields.decodeIfPresent(String.self, forKey: signInKey)
        // Some servers write the number as text. Any other value counts as an unknown lifetime.
        let seconds = { (key: Key) -> Double? in
            let number =
                (try? fields.decodeIfPresent(Double.self, forKey: key))
                ?? (try? fields.decodeIfPresent(String.self, forKey: key)).flatMap(Double.init)
            return number.flatMap { 0...1e10 ~= $0 ? $0 : nil }
        }
        let remaining = seconds(endKey).map { max(0, $0 - Double(start.secondsSince1970)) }
        lifetime = (remaining ?? seconds(lifetimeKey)).map {
            .milliseconds(Int64(($0 * 1_000).rounded()))
        }
    }

    /// Encodes the token for storage, with the end of its lifetime in seconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(value, forKey: .value)
        try fields.encode(type, forKey: .type)
        let end = lifetime.map { Double(start.secondsSince1970) + $0 / .seconds(1) }
        try fields.encodeIfPresent(end, forKey: .end)
        try fields.encodeIfPresent(refreshToken, forKey: .refreshToken)
        try fields.encodeIfPresent(signIn, forKey: .signIn)
    }
}

extension AccessToken: DescriptionOnly {
    /// A constant text, without the content.
    public var description: String { "an access token" }
}
