import HTTPNetworking

extension CookieJar {
    /// The cookies of a jar, to write to disk and read again.
    ///
    /// ```swift
    /// try JSONEncoder().encode(jar.snapshot()).write(to: file, options: .atomic)
    /// ```
    ///
    /// Cookies are often as good as passwords: keep it where only your app reads it.
    public struct Snapshot {
        /// The cookies, the oldest first.
        public var cookies: [Cookie]

        /// Makes a snapshot.
        public init(cookies: [Cookie]) { self.cookies = cookies }
    }

    /// What is in the jar now.
    ///
    /// - Parameter keepingSessionCookies: Whether cookies that have no end are in it. A server means
    ///   them to end with the session, which for most apps is not when the process ends.
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
    /// - Throws: `DecodingError`, also where it is of a later version than this package knows.
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
    /// Whether a cookie that was read from somewhere could have come from a server.
    var canBeSent: Bool {
        let text = "\(name)=\(value)"
        return !name.isEmpty && HTTPHeaders.isValid(name: "Cookie", value: text)
            && !text.utf8.contains(UInt8(ascii: ";")) && !name.utf8.contains(UInt8(ascii: "="))
            && path.utf8.first == UInt8(ascii: "/") && !domain.isEmpty
    }
}
