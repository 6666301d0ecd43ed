#if AsyncHTTPClient
// snippet: AsyncHTTPClient-imports
import PledgeAsyncHTTPClientTransport
// end snippet
import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

/// The code that the guide on transports shows.
@Suite(.oneAtATime) struct GuideTests {
    @Test func sendsThroughMiddleware() async throws {
        let loopback = try LoopbackServer { _ in .text("ok") }
        let server = loopback.url
        // snippet: AsyncHTTPClient
        let transport = AHCTransport()
        let api = makeNetworking(over: stack(.retry(), over: transport.send), base: server)
        // end snippet
        #expect(try await api(Endpoint(path: "/products")).value == Data("ok".utf8))
    }

    // snippet: AsyncHTTPClient-TLS
    func transport(trusting authorities: URL) throws -> AHCTransport {
        var settings = ConnectionSettings()
        settings.tls.minimumVersion = .tls13
        settings.tls.authorities = .systemAnd(authorities)
        return try AHCTransport(.init(maxBodySize: 1 << 20), connecting: settings)
    }
    // end snippet

    @Test func configuresTLS() async throws {
        let loopback = try LoopbackServer { _ in .text(String(repeating: "a", count: 1 << 20 + 1)) }
        let transport = try transport(trusting: TestCertificates.url("authority"))
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(HTTPRequest(loopback.url)).value
        }
        #expect(error?.code == .bodyTooLarge)
    }
}
#endif
