#if AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import Pledge
import PledgeTesting
import Testing

/// The code of the part of Docs/Guides/Transports.md that is about AsyncHTTPClient.
@Suite struct AHCExamples {
    @Test func api() async throws {
        let loopback = try LoopbackServer { request in
            request.target == "/old"
                ? .response(301, headers: ["Location": "/new"]) : .text("at \(request.target)")
        }
        defer { loopback.stop() }
        let server = loopback.url
        // snippet: api
        let transport = AHCTransport()
        let api = networking(over: stack(.redirect(), .retry(), over: transport.send), base: server)
        // end snippet
        let data = try await api(Endpoint(path: "/old")).value
        #expect(String(decoding: data, as: UTF8.self) == "at /new")
        try await transport.close().value
    }
}
#endif
