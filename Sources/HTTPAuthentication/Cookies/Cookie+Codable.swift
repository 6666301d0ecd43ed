import PledgeHTTPNetworking

extension Cookie: Codable {
    private enum Key: String, CodingKey {
        case name, value, isLatin1, domain, isHostOnly, path, expires, isSecure, isHTTPOnly
        case sameSite
    }

    /// Reads a cookie, its value included.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        name = try fields.decode(String.self, forKey: .name)
        value = try fields.decode(String.self, forKey: .value)
        isLatin1 = try fields.decodeIfPresent(Bool.self, forKey: .isLatin1) ?? false
        domain = try fields.decode(String.self, forKey: .domain)
        isHostOnly = try fields.decode(Bool.self, forKey: .isHostOnly)
        path = try fields.decode(String.self, forKey: .path)
        expires = try fields.decodeIfPresent(Int64.self, forKey: .expires)
            .map { HTTPDate(secondsSince1970: $0) }
        isSecure = try fields.decode(Bool.self, forKey: .isSecure)
        isHTTPOnly = try fields.decode(Bool.self, forKey: .isHTTPOnly)
        sameSite = try fields.decodeIfPresent(SameSite.self, forKey: .sameSite)
    }

    /// Writes a cookie, its value included; the end in seconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(name, forKey: .name)
        try fields.encode(value, forKey: .value)
        if isLatin1 { try fields.encode(true, forKey: .isLatin1) }
        try fields.encode(domain, forKey: .domain)
        try fields.encode(isHostOnly, forKey: .isHostOnly)
        try fields.encode(path, forKey: .path)
        try fields.encodeIfPresent(expires?.secondsSince1970, forKey: .expires)
        try fields.encode(isSecure, forKey: .isSecure)
        try fields.encode(isHTTPOnly, forKey: .isHTTPOnly)
        try fields.encodeIfPresent(sameSite, forKey: .sameSite)
    }
}
