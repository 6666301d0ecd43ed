public import PledgeHTTPMessages

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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

extension HTTPClient {
    /// Unavailable: a client limits an attempt and the whole call.
    @available(
        *, unavailable,
        message: "set attemptTimeout for each attempt, or deadline for the call with its retries"
    )
    public var timeout: Duration? {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }
}

extension HTTPResponse {
    /// Unavailable: `status` is the number.
    @available(*, unavailable, renamed: "status")
    public var statusCode: Int { fatalError("unavailable") }

    /// Unavailable: `body` holds the bytes.
    @available(*, unavailable, renamed: "body")
    public var data: Data { fatalError("unavailable") }

    /// Unavailable: a client's call is awaited as it's written.
    @available(
        *, unavailable,
        message:
            "the call is awaited already; for a value, name its type: `let user: User = try await client.get(…)`"
    )
    public var value: HTTPResponse { fatalError("unavailable") }
}
