import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// Requests by a proxy that speaks SOCKS.
@Suite(.oneAtATime)
struct SOCKSTests {
    private func transport(
        by proxy: SOCKSServer, _ scheme: String, user: String? = nil, password: String? = nil
    ) throws -> CurlTransport {
        try CurlTransport.connecting {
            $0.proxy = .server(proxy.url(scheme), user: user, password: password)
            $0.addresses = ["api.example.test": ["127.0.0.1"]]
        }
    }

    @Test func namesAreLeftToIt() async throws {
        let proxy = try SOCKSServer()
        let server = try LoopbackServer { .text("\($0.target) of \($0.header("Host") ?? "")") }
        let transport = try transport(by: proxy, "socks5h")
        let place = "example.invalid:\(server.port)"
        let url = try #require(URL(string: "http://\(place)/a"))
        for isReused in [false, true] {
            let response = try await transport.get(url).soon
            #expect(response.text == "/a of \(place)")
            #expect(response.timing.connection?.isReused == isReused)
        }
        #expect(proxy.asked == [place])
        try await transport.close().soon
        proxy.stop()
    }

    @Test func namesAreLookedUpForIt() async throws {
        let proxy = try SOCKSServer()
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = try transport(by: proxy, "socks5")
        let url = try #require(URL(string: "http://api.example.test:\(server.port)/"))
        #expect(try await transport.get(url).soon.text == "ok")
        #expect(proxy.asked == ["127.0.0.1:\(server.port)"])
        try await transport.close().soon
        proxy.stop()
    }

    @Test func itMayAskWhoCalls() async throws {
        let proxy = try SOCKSServer(user: "planted-user:planted-secret")
        let server = try LoopbackServer { _ in .text("ok") }
        let known = try transport(
            by: proxy, "socks5h", user: "planted-user", password: "planted-secret")
        #expect(try await known.get(server).soon.text == "ok")
        let unknown = [
            try transport(by: proxy, "socks5h", user: "planted-user", password: "planted-wrong"),
            try transport(by: proxy, "socks5h"),
        ]
        for transport in unknown {
            let error = try await transport.get(server).httpError
            #expect(error.code == .proxyRefused)
            #expect("\(error)".hasSuffix("(libcurl 97))"), "\(error)")
            #expect(!"\(error)".contains("planted"))
        }
        #expect(server.acceptedConnections == 1)
        for transport in [known] + unknown { try await transport.close().soon }
        proxy.stop()
    }

    @Test func aServerThatItCannotReach() async throws {
        let proxy = try SOCKSServer()
        let closed = try ClosedPort()
        let transport = try transport(by: proxy, "socks5h")
        let error = try await transport.get(closed.url).httpError
        #expect(error.code == .cannotConnect)
        #expect(proxy.asked == ["127.0.0.1:\(closed.port)"])
        try await transport.close().soon
        proxy.stop()
        withExtendedLifetime(closed) {}
    }

    #if os(Linux)
    @Test func whatIsSecureGoesThroughIt() async throws {
        guard let nginx = try await NginxSite.start() else { return }
        defer { nginx.program.stop() }
        let proxy = try SOCKSServer()
        let transport = try nginx.transport { $0.proxy = .server(proxy.url("socks5h")) }
        let url = try nginx.url(.good, host: "localhost")
        #expect(try await transport.get(url).soon.text == "HTTP/2.0 TLSv1.3 NONE")
        #expect(proxy.asked == ["localhost:\(url.port ?? 0)"])
        try await transport.close().soon
        proxy.stop()
    }
    #endif
}
