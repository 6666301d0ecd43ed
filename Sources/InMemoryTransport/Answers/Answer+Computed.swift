public import PledgeFutures
public import PledgeHTTPNetworking

extension MemoryTransport.Answer {
    /// Data that is made for each call; if the closure throws, the call rejects with that error.
    ///
    /// ```swift
    /// .get("/hello/:name", answer: .reply { call in Data("Hello \(call.parameters["name"]!)".utf8) })
    /// ```
    public static func reply(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Data
    ) -> Self {
        Self { call in Future(value: HTTPResponse(status: 200, body: try body(call))) }
    }

    /// A response that is made for each call; if the closure throws, the call rejects with that error.
    public static func respond(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> HTTPResponse
    ) -> Self {
        Self { call in Future(value: try body(call)) }
    }

    /// A future of data, with the status 200, that is made for each call, so that the test controls when and
    /// how it is answered.
    ///
    /// Cancelling the call cancels that future. If the closure throws, the call rejects with that error.
    public static func future(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Future<Data>
    ) -> Self {
        Self { call in try body(call).map { HTTPResponse(status: 200, body: $0) } }
    }

    /// A future of a response that is made for each call.
    ///
    /// Cancelling the call cancels that future. If the closure throws, the call rejects with that error.
    public static func futureResponse(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Future<HTTPResponse>
    ) -> Self {
        Self(body)
    }
}
