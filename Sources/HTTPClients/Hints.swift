public import PledgeHTTPMessages

// Names that a newcomer types, with what to write instead; the compiler's error says it.

extension HTTPClient {
    /// Unavailable: each HTTP method has a method of its own.
    @available(
        *, unavailable,
        message:
            "call the HTTP method: `client.get(…)`, `client.post(…)`; for an Endpoint or an HTTPRequest, `client.send(…)`"
    )
    public func request(
        _ path: Endpoint.Path, method: HTTPMethod = .get, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], json: (any Encodable)? = nil
    ) -> HTTPResponse { fatalError("unavailable") }
}

extension HTTPResponse {
    /// Unavailable: a client's call is awaited as it's written.
    @available(
        *, unavailable,
        message:
            "the call is awaited already; for a value, name its type: `let user: User = try await client.get(…)`"
    )
    public var value: HTTPResponse { fatalError("unavailable") }
}
