import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

#if os(Linux)
/// Requests by a real squid, which asks for a name and a password.
@Suite(.oneAtATime)
struct SquidTests {
    @Test func aRequestWithoutTLSGoesThroughAProxy() async throws {
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

    @Test func aRequestOverTLSGoesThroughAProxyByATunnel() async throws {
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

    @Test func aProxyRefusesAnUnknownUser() async throws {
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

    @Test func someHostsAreReachedWithoutAProxy() async throws {
        guard let site = try await SquidSite.start() else { return }
        defer { site.program.stop() }
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = try site.transport(bypassing: ["localhost", "127.0.0.1"])
        #expect(try await transport.get(server).soon.headers["Via"] == nil)
    }

    @Test func aProxyThatIsNotThereFailsTheCall() async throws {
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

    @Test func theEnvironmentNamesTheProxy() async {
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

/// A real squid, which requires a name and a password.
struct SquidSite: ServingProgram {
    let folder: TestFolder
    let proxy: URL
    let program: Program

    func transport(
        user: String? = "planted-user", password: String? = "planted-secret",
        bypassing bypassed: [String] = []
    ) throws -> CurlTransport {
        try CurlTransport.connecting {
            $0.proxy = .server(proxy, user: user, password: password, bypassing: bypassed)
        }
    }

    /// The log of the exchanges that have ended.
    func log() throws -> String {
        let file = folder.url.appendingPathComponent("access.log")
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// Starts squid; nil if it is not installed, and is not required.
    static func start() async throws -> SquidSite? {
        guard let squid = try Program.find("squid", of: "squid"),
            let ask = try Program.find("basic_ncsa_auth", of: "squid"),
            let openssl = try Program.find("openssl", of: "openssl")
        else { return nil }
        let folder = try TestFolder()
        // If it is started as root, squid continues as another user.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        try Program.run(openssl, ["passwd", "-apr1", "planted-secret"], in: folder.url)
        let hash = try String(
            contentsOf: folder.url.appendingPathComponent("output.txt"), encoding: .utf8)
        let users = try folder.file("users", Data("planted-user:\(hash)".utf8))
        return try await Program.serving {
            let port = try Program.freePort()
            let file = try folder.file(
                "squid.conf", Data(configuration(port, folder, users, ask).utf8))
            let program = try Program(squid, ["-N", "-f", file.path], in: folder.url)
            let proxy = try #require(URL(string: "http://127.0.0.1:\(port)"))
            return SquidSite(folder: folder, proxy: proxy, program: program)
        }
    }

    func answers() async -> Bool {
        guard let server = try? LoopbackServer(answering: { _ in .text("ok") }) else {
            return false
        }
        return (try? await transport().get(server).soon.status) == 200
    }

    private static func configuration(
        _ port: UInt16, _ folder: TestFolder, _ users: URL, _ ask: URL
    ) -> String {
        """
        http_port 127.0.0.1:\(port)
        auth_param basic program \(ask.path) \(users.path)
        auth_param basic children 1
        acl known proxy_auth REQUIRED
        http_access allow known
        http_access deny all
        cache deny all
        access_log stdio:\(folder.url.path)/access.log
        cache_log \(folder.url.path)/cache.log
        pid_filename \(folder.url.path)/squid.pid
        coredump_dir \(folder.url.path)
        visible_hostname localhost
        shutdown_lifetime 0 seconds
        """
    }
}
#endif

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

    @Test func namesAreLeftToASOCKSProxy() async throws {
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

    @Test func namesAreLookedUpForASOCKSProxy() async throws {
        let proxy = try SOCKSServer()
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = try transport(by: proxy, "socks5")
        let url = try #require(URL(string: "http://api.example.test:\(server.port)/"))
        #expect(try await transport.get(url).soon.text == "ok")
        #expect(proxy.asked == ["127.0.0.1:\(server.port)"])
        try await transport.close().soon
        proxy.stop()
    }

    @Test func aSOCKSProxyMayAskWhoCalls() async throws {
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

    @Test func aServerThatASOCKSProxyCannotReachFailsTheCall() async throws {
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
    @Test func aRequestOverTLSGoesThroughASOCKSProxy() async throws {
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
