/// To whom something may be sent: a secret, or the headers of a trace.
///
/// Name the servers that a token is for: a redirect may lead anywhere, and so may a URL that came in
/// an answer.
public struct HTTPOrigins {
    private let isMember: @Sendable (HTTPOrigin) -> Bool

    /// The origins of some URLs.
    ///
    /// A URL that has none, since it is no absolute http or https URL, adds none.
    public static func origins(of urls: URL...) -> HTTPOrigins {
        let members = Set(urls.compactMap(HTTPOrigin.init))
        return HTTPOrigins { members.contains($0) }
    }

    /// The origins for which a function says so.
    ///
    /// - Parameter isMember: Called with each request's origin, on the caller's thread. Compare the whole
    ///   scheme and the whole host: "api.example.com.evil.net" begins well, and "notexample.com" ends well.
    public static func origins(
        where isMember: @escaping @Sendable (HTTPOrigin) -> Bool
    ) -> HTTPOrigins { HTTPOrigins(isMember: isMember) }

    /// Every origin, also the target of a redirect beneath, over http as well.
    public static let all = HTTPOrigins { _ in true }

    /// Whether a URL belongs to one of them.
    public func contains(_ url: URL) -> Bool { HTTPOrigin(url).map(isMember) ?? false }

    /// Whether an origin is one of them.
    func contains(_ origin: HTTPOrigin) -> Bool { isMember(origin) }
}

extension HTTPOrigins: Sendable {}
