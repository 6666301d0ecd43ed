public import PledgeHTTPNetworking

extension HTTPClient.CustomMiddleware {
    /// Records each request and its response, without secrets; see the middleware `record(into:)`.
    ///
    /// ```swift
    /// client.aroundExchange = .record(into: recorder)
    /// ```
    ///
    /// At this place, redirects, retries and requests that got a 401 are entries of their own.
    public static func record(into recorder: HTTPRecorder) -> Self {
        Self(send: .record(into: recorder), stream: .record(into: recorder))
    }
}
