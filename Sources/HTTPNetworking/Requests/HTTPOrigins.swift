/// The origins to which a secret, or the headers of a trace, may be sent.
///
/// Name the servers of a token: a redirect may lead anywhere, and so may a URL in an answer.
public struct HTTPOrigins {
    private let isMember: @Sendable (HTTPOrigin) -> Bool

    /// The origins of some URLs.
    ///
    /// A URL without an origin, which is not an absolute http or https URL, adds none.
    public static func origins(of urls: URL...) -> HTTPOrigins {
        let members = Set(urls.compactMap(HTTPOrigin.init))
        return HTTPOrigins { members.contains($0) }
    }

    /// The origins for which a function returns true.
    ///
    /// - Parameter isMember: Called with each request's origin, on the caller's thread. Compare the whole
    ///   scheme and the whole host: "api.example.com.evil.net" has the right beginning, and "notexample.com"
    ///   the right end.
    public static func origins(
        where isMember: @escaping @Sendable (HTTPOrigin) -> Bool
    ) -> HTTPOrigins { HTTPOrigins(isMember: isMember) }

    /// Every origin, also the target of a redirect beneath, over http as well.
    public static let all = HTTPOrigins { _ in true }

    /// Whether a URL belongs to one of them.
    public func contains(_ url: URL) -> Bool { HTTPOrigin(url).map(isMember) ?? false }

    /// Whether a request may have what is meant for these origins.
    ///
    /// Its URL has to belong to one of them, and so has each URL that redirected to it: another origin must not
    /// choose what is requested with a secret.
    package func contains(_ request: HTTPRequest) -> Bool {
        contains(request.url) && request.context.redirectingOrigins.allSatisfy(isMember)
    }

    /// Whether an origin is one of them.
    func contains(_ origin: HTTPOrigin) -> Bool { isMember(origin) }
}

extension HTTPOrigins: Sendable {}
