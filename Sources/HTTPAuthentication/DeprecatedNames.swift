public import HTTPNetworking
public import Services

// Names of the version before, which go with the next one.

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// The old name of ``cookies(sharing:)``.
    @available(*, deprecated, renamed: "cookies(sharing:)")
    public static func cookies(_ jar: CookieJar) -> Middleware { .cookies(sharing: jar) }
}
