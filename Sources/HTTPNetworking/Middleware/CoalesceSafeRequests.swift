public import PledgeHTTPMessages
import PledgeHTTPText
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// Lets equal safe requests share one call while it is in flight, as `coalesce(by:sharing:)` does.
    ///
    /// ```swift
    /// let service = stack(.coalesceSafeRequests(), .retry(), over: transport.send)
    /// ```
    ///
    /// Two requests share a call if their method, URL, headers, body, idempotency key and tags are all equal. Every
    /// header counts, because a response may depend on any of them, such as Authorization, Cookie, Accept or Range. Put
    /// this below the middleware that adds headers. A Set-Cookie header goes only to the caller whose request was sent,
    /// so that visitors who ask at the same time don't get the same session. These requests never share a call:
    ///
    /// - requests with an unsafe method (see `HTTPMethod.isSafe`),
    /// - requests with a body that is not in memory.
    ///
    /// After a request with an unsafe method has succeeded, failed or been cancelled, later requests for the same URL
    /// don't join calls that began earlier. An earlier call may still return the resource as it was before the change.
    ///
    /// Streamed responses have no such function, because a stream can be read only once.
    ///
    /// - Parameter group: The group within which calls are shared; nil for the calls of this stack only.
    public static func coalesceSafeRequests(
        sharing group: Coalescer<HTTPRequest, HTTPResponse>? = nil
    ) -> Middleware {
        .coalesce(
            by: { request in
                guard request.method.isSafe else { return nil }
                switch request.body.content {
                case .none, .data: return request
                case .file, .stream: return nil
                }
            },
            about: { Resource($0.url) }, changing: { !$0.method.isSafe },
            sharing: group)
    }
}

/// The resource that a URL names, with its scheme, host and port normalised.
private struct Resource: Hashable, Sendable {
    private let origin: HTTPOrigin?
    private let path: Substring
    private let query: Substring?

    init?(_ url: URL) {
        guard let parts = AbsoluteURL(url) else { return nil }
        origin = HTTPOrigin(url)
        path = parts.path.isEmpty ? "/" : parts.path
        query = parts.query
    }
}
