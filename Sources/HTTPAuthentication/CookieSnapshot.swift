package import PledgeFutures

extension CookieJar {
    /// The cookies of a jar, for writing to disk and reading again.
    ///
    /// ```swift
    /// try JSONEncoder().encode(jar.snapshot()).write(to: file, options: .atomic)
    /// ```
    ///
    /// Cookies are often as powerful as passwords: store a snapshot where only your app can read it.
    public struct Snapshot: Hashable, Sendable {
        /// The cookies, oldest first.
        public var cookies: [Cookie]

        /// Creates a snapshot.
        public init(cookies: [Cookie]) { self.cookies = cookies }
    }

    /// Returns the current cookies of the jar.
    ///
    /// - Parameter keepingSessionCookies: True to include session cookies, which end with the user's session. In most
    ///   apps, that session doesn't end with the process.
    public func snapshot(keepingSessionCookies: Bool = false) -> Snapshot {
        Snapshot(cookies: cookies.filter { keepingSessionCookies || $0.expires != nil })
    }
}

extension CookieJar.Snapshot: Codable {
    private enum Key: String, CodingKey {
        case version, cookies
    }

    /// Decodes a snapshot.
    ///
    /// - Throws: `DecodingError`; this is also thrown if the snapshot has a later version of the format.
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

    /// Encodes a snapshot, including the cookies' values.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(1, forKey: .version)
        try fields.encode(cookies, forKey: .cookies)
    }
}

/// Keeps a jar's cookies across runs of the process.
package protocol CookiePlace: Sendable {
    /// Returns the jar's cookies; the argument says whether to include session cookies.
    typealias Snapshot = @Sendable (Bool) -> CookieJar.Snapshot

    /// Writes the cookies soon, together with all changes until then.
    ///
    /// - Parameter afterRemoval: True if the app has removed cookies. If the write fails, the old file must not stay.
    func saveSoon(afterRemoval: Bool, _ snapshot: @escaping Snapshot)

    /// Waits until all changes so far are written; if the last write has failed, writes again.
    func flush(_ snapshot: @escaping Snapshot) -> Future<Void>
}
