public import PledgeHTTPNetworking
public import PledgeServices

// Names of the previous version, which the next version removes.

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// The old name of ``cache(sharing:)``.
    @available(*, deprecated, renamed: "cache(sharing:)")
    public static func cache(_ cache: HTTPCache) -> Middleware { .cache(sharing: cache) }
}
