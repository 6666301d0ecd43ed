#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTestSupport
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// Requests by a real squid, which asks for a name and a password.
@Suite(.oneAtATime)
struct SquidTests {
    @Test func whatIsNotSecureGoesThroughIt() async throws {
        guard let site = try await SquidSite.start() else { return }
        defer { site.program.stop() }
        let server = try LoopbackServer { .text("for \($0.target)") }
        let response = try await site.transport().get(server, "a").soon
        #expect(response.text == "for /a")
        #expect(response.headers["Via"]?.contains("squid") == true)
        #expect(server.requests.first?.header("Via")?.contains("squid") == true)
        #expect(server.requests.first?.header("Proxy-Authorization") == nil)
        let port = try #require(site.proxy.port)
        #expect(response.timing.connection?.remoteAddress == "127.0.0.1:\(port)")
    }

    @Test func whatIsSecureGoesThroughItByATunnel() async throws {
        guard let site = try await SquidSite.start() else { return }
        defer { site.program.stop() }
        guard let nginx = try await NginxSite.start() else { return }
        defer { nginx.program.stop() }
        let transport = try nginx.transport {
            $0.proxy = .server(site.proxy, user: "planted-user", password: "planted-secret")
        }
        let url = try nginx.url(.good)
        let port = try #require(site.proxy.port)
        for isReused in [false, true] {
            let response = try await transport.get(url).soon
            #expect(response.text == "HTTP/2.0 TLSv1.3 NONE")
            try #require(response.timing.connection?.remoteAddress == "127.0.0.1:\(port)")
            #expect(response.timing.connection?.isReused == isReused)
        }
        // What the proxy is told stays outside the tunnel.
        #expect(try await transport.get(url.appending(path: "by")).soon.text == "[]")
        // Certificates are checked through it.
        #expect(try await transport.get(nginx.url(.expired)).httpError.code == .insecureConnection)
        try await transport.close().soon
        let place = "CONNECT \(url.host() ?? ""):\(url.port ?? 0) planted-user"
        #expect(await comesTrue { (try? site.log())?.contains(place) == true })
        #expect(try site.log().contains("TCP_TUNNEL/200"))
    }

    @Test func whoIsUnknownIsRefused() async throws {
        guard let site = try await SquidSite.start() else { return }
        defer { site.program.stop() }
        let server = try LoopbackServer { _ in .text("ok") }
        for password in ["planted-wrong", nil] {
            let transport = try site.transport(
                user: password.map { _ in "planted-user" }, password: password)
            #expect(try await transport.get(server).soon.status == 407)
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let error = try await transport.get(url).httpError
            #expect(error.code == .proxyRefused)
            #expect(
                "\(error)"
                    == "GET \(url) failed: the proxy refused to connect to the host (cause: the proxy answered 407)"
            )
            var dumped = ""
            dump(error, to: &dumped)
            for text in ["\(error)", error.localizedDescription, dumped] {
                #expect(!text.contains("planted"))
            }
        }
        #expect(server.acceptedConnections == 0)
    }

    @Test func someHostsAreReachedWithoutIt() async throws {
        guard let site = try await SquidSite.start() else { return }
        defer { site.program.stop() }
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = try site.transport(bypassing: ["localhost", "127.0.0.1"])
        #expect(try await transport.get(server).soon.headers["Via"] == nil)
    }

    @Test func aProxyThatIsNotThere() async throws {
        let gone = try ClosedPort()
        let nowhere = try #require(URL(string: "http://no-such-proxy.invalid:1"))
        let server = try LoopbackServer { _ in .text("ok") }
        let absent = try CurlTransport.connecting { $0.proxy = .server(gone.url) }
        #expect(try await absent.get(server).httpError.code == .cannotConnect)
        let unknown = try CurlTransport.connecting { $0.proxy = .server(nowhere) }
        let error = try await unknown.get(server).httpError
        #expect(error.code == .cannotConnect)
        #expect(error.reason == "the proxy's host was not found")
        withExtendedLifetime(gone) {}
    }

    @Test func theEnvironmentNamesIt() async {
        // The environment is the process's.
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { .text("by the proxy, for \($0.target)") }
            let server = try LoopbackServer { _ in .text("directly") }
            setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            let text = try await CurlTransport.patient.get(server).soon.text
            #expect(text == "by the proxy, for \(server.url.absoluteString)/")
            let none = try CurlTransport.connecting { $0.proxy = .none }
            let direct = try await none.get(server).soon.text
            #expect(direct == "directly")
            setenv("no_proxy", "127.0.0.1", 1)
            let bypassed = try await CurlTransport.patient.get(server).soon.text
            #expect(bypassed == "directly")
        }
    }
}
#endif
