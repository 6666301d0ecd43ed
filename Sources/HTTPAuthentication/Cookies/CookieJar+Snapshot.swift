import PledgeHTTPNetworking

extension CookieJar {
    /// The cookies of a jar, to write to disk and read again.
    ///
    /// ```swift
    /// try JSONEncoder().encode(jar.snapshot()).write(to: file, options: .atomic)
    /// ```
    ///
    /// Cookies are often equivalent to passwords: store it where only your app can read it.
    public struct Snapshot {
        /// The cookies, the oldest first.
        public var cookies: [Cookie]

        /// Makes a snapshot.
        public init(cookies: [Cookie]) { self.cookies = cookies }
    }

    /// The current content of the jar.
    ///
    /// - Parameter keepingSessionCookies: Whether it includes session cookies. They end with the session,
    ///   which for most apps is not the end of the process.
    public func snapshot(keepingSessionCookies: Bool = false) -> Snapshot {
        Snapshot(cookies: cookies.filter { keepingSessionCookies || $0.expires != nil })
    }
}

extension CookieJar.Snapshot: Codable {
    private enum Key: String, CodingKey {
        case version, cookies
    }

    /// Reads a snapshot.
    ///
    /// - Throws: `DecodingError`, also for a later version of the format.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        let version = try fields.decode(Int.self, forKey: .version)
        guard version == 1 else {
            throw DecodingError.dataCorruptedError(
                forKey: .version, in: fields,
                debugDescription: "a cookie snapshot of version \(version), not 1")
        }
        cookies = try fields.decode([Cookie].self, forKey: .cookies)
    }

    /// Writes a snapshot, the cookies' values included.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(1, forKey: .version)
        try fields.encode(cookies, forKey: .cookies)
    }
}

extension CookieJar.Snapshot: Hashable {}

extension CookieJar.Snapshot: Sendable {}

extension Cookie {
    /// Whether a decoded cookie could have come from a server.
    var canBeSent: Bool {
        guard let pair, !name.isEmpty, HTTPHeaders.isValid(bytes: pair) else { return false }
        return !pair.contains(UInt8(ascii: ";")) && !name.utf8.contains(UInt8(ascii: "="))
            && path.utf8.first == UInt8(ascii: "/") && !domain.isEmpty
    }
}
