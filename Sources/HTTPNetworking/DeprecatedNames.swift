public import Services

// Names of the version before, which go with the next one.

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// The old name of ``cookies(sharing:)``.
    @available(*, deprecated, renamed: "cookies(sharing:)")
    public static func cookies(_ jar: CookieJar) -> Middleware { .cookies(sharing: jar) }
}

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// The old name of ``cache(sharing:)``.
    @available(*, deprecated, renamed: "cache(sharing:)")
    public static func cache(_ cache: HTTPCache) -> Middleware { .cache(sharing: cache) }
}
