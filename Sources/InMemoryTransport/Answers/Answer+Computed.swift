public import Futures
public import HTTPNetworking

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MemoryTransport.Answer {
    /// Data that is made for each call; what the closure throws, the call rejects with.
    ///
    /// ```swift
    /// .get("/hello/:name", answer: .reply { call in Data("Hello \(call.parameters["name"]!)".utf8) })
    /// ```
    public static func reply(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Data
    ) -> Self {
        Self { call in Future(value: try body(call)) }
    }

    /// A response that is made for each call; what the closure throws, the call rejects with.
    public static func respond(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> HTTPResponse
    ) -> Self {
        Self { call in Future(value: try body(call).acceptedBody(for: call.endpoint)) }
    }

    /// A future that is made for each call, so that the test says when and how it is answered.
    ///
    /// Cancelling the call cancels that future. What the closure throws, the call rejects with.
    public static func future(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Future<Data>
    ) -> Self {
        Self(body)
    }
}
