public import PledgeHTTPNetworking
public import PledgeServices

// Names of the previous version, which the next version removes.

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// The old name of ``cookies(sharing:)``.
    @available(*, deprecated, renamed: "cookies(sharing:)")
    public static func cookies(_ jar: CookieJar) -> Middleware { .cookies(sharing: jar) }
}
