public import HTTPNetworking
public import Services

// Names of the version before, which go with the next one.

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// The old name of ``cache(sharing:)``.
    @available(*, deprecated, renamed: "cache(sharing:)")
    public static func cache(_ cache: HTTPCache) -> Middleware { .cache(sharing: cache) }
}
