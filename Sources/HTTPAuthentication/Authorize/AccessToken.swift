import HTTPNetworking

/// A server's access token and its lifetime (RFC 6749, section 5.1).
///
/// ```swift
/// let token = try JSONDecoder().decode(AccessToken.self, from: response.body)
/// ```
///
/// It is encoded in the form of an authorization server: `access_token`, `token_type`, `expires_in`
/// in seconds, `refresh_token`.
public struct AccessToken {
    /// The token itself.
    public var value: String

    /// The scheme before it in the header, "Bearer" for most.
    public var type: String

    /// How long it is valid, from when a ``TokenRefresher`` gets it; nil if it is not known.
    ///
    /// For a token that was stored meanwhile, give its remaining lifetime, or nil: a server refuses
    /// it when it has expired.
    public var lifetime: Duration?

    /// The token for getting the next one.
    ///
    /// A new token without one keeps that of the old token (RFC 6749, section 6).
    public var refreshToken: String?

    /// Makes a token.
    public init(
        _ value: String, type: String = "Bearer", lifetime: Duration? = nil,
        refreshToken: String? = nil
    ) {
        self.value = value
        self.type = type
        self.lifetime = lifetime
        self.refreshToken = refreshToken
    }

    /// The value of the header Authorization.
    var authorization: String {
        // Servers send "bearer", and some of them then require "Bearer".
        "\(type.lowercased() == "bearer" ? "Bearer" : type) \(value)"
    }

    /// Whether the header may hold it.
    var isReturnable: Bool { HTTPHeaders.isReturnable(authorization) }
}

extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case value = "access_token"
        case type = "token_type"
        case lifetime = "expires_in"
        case refreshToken = "refresh_token"
    }

    /// Reads a token response; only `access_token` is required.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        value = try fields.decode(String.self, forKey: .value)
        type = try fields.decodeIfPresent(String.self, forKey: .type) ?? "Bearer"
        refreshToken = try fields.decodeIfPresent(String.self, forKey: .refreshToken)
        // Some servers write the number as text. Anything that is not a number of seconds counts as unknown.
        let seconds =
            (try? fields.decodeIfPresent(Double.self, forKey: .lifetime))
            ?? (try? fields.decodeIfPresent(String.self, forKey: .lifetime)).flatMap(Double.init)
        lifetime = seconds.flatMap { 0...1e10 ~= $0 ? .seconds($0) : nil }
    }

    /// Writes the token as an authorization server does, so that it can be stored.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(value, forKey: .value)
        try fields.encode(type, forKey: .type)
        try fields.encodeIfPresent(lifetime.map { $0 / .seconds(1) }, forKey: .lifetime)
        try fields.encodeIfPresent(refreshToken, forKey: .refreshToken)
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A constant text, without the content.
    public var description: String { "an access token" }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension AccessToken: Hashable {}

extension AccessToken: Sendable {}
