public import PledgeServices

extension CoalescingKey
where Input == HTTPRequest, Output == HTTPResponse, Key == HTTPRequest {
    /// Lets equal safe requests share one call.
    ///
    /// ```swift
    /// let service = stack(.coalesce(by: .safeRequest), .retry(), over: transport.send)
    /// ```
    ///
    /// Two requests share a call if method, URL, all headers, body, idempotency key and tags are equal. An
    /// answer may depend on any header, such as Authorization, Cookie, Accept and Range, so none is left out.
    /// Put this beneath the middleware that adds headers. Each Set-Cookie goes to the caller whose request was
    /// sent, so that visitors who ask at once do not get one session. These requests share nothing:
    ///
    /// - requests whose method is not safe (``HTTPMethod/isSafe``),
    /// - those with a body that is not in memory.
    ///
    /// When a request whose method is not safe has been answered, has failed, or was given up, a later request for
    /// its URL shares no call that began before: that would be the answer from before the change.
    ///
    /// There is no such key for streamed responses, because a stream can be read only once.
    public static var safeRequest: CoalescingKey {
        CoalescingKey(
            { request in
                guard request.method.isSafe else { return nil }
                switch request.body.content {
                case .none, .data: return request
                case .file, .stream: return nil
                }
            },
            about: { Resource($0.url) }, changing: { !$0.method.isSafe })
    }
}

/// What the URL of a request names, however scheme, host and port are written.
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
