#if AsyncHTTPClient
@testable import AsyncHTTPClientTransport
import Foundation
import Pledge
import PledgeTesting
import Testing

/// The code that the guide on transports shows.
struct GuideTests {
    @Test func sendsThroughMiddleware() async throws {
        let loopback = try LoopbackServer { _ in .text("ok") }
        let server = loopback.url
        // snippet: AsyncHTTPClient
        let transport = AHCTransport()
        let api = networking(over: stack(.retry(), over: transport.send), base: server)
        // end snippet
        #expect(try await api(Endpoint(path: "/products")).value == Data("ok".utf8))
    }

    @Test func configuresTLS() throws {
        let companyRoots = TestCertificates.url("authority")
        // snippet: AsyncHTTPClient-TLS
        var configuration = AHCTransport.Configuration()
        configuration.maxBodySize = 1 << 20
        configuration.tls.minimumVersion = .tls13
        try configuration.tls.trust(certificatesIn: companyRoots)
        let transport = AHCTransport(configuration)
        // end snippet
        #expect(transport.maxBodySize == 1 << 20)
    }
}
#endif
