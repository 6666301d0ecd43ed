#if os(Linux)
import Foundation
import Futures
import HTTPNetworking
import HTTPTestSupport
import PledgeTesting
import TestSupport
import Testing

@testable import LibcurlTransport

/// Requests by a real squid, which asks for a name and a password.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SquidTests {
    private struct Site {
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
    }

    /// Starts squid; nil where it is not installed, and need not be.
    private func start() async throws -> Site? {
        guard let squid = try Program.find("squid", of: "squid"),
            let ask = try Program.find("basic_ncsa_auth", of: "squid"),
            let openssl = try Program.find("openssl", of: "openssl")
        else { return nil }
        let folder = try TestFolder()
        // As root, squid goes on as another user.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        try Program.run(openssl, ["passwd", "-apr1", "planted-secret"], in: folder.url)
        let hash = try String(
            contentsOf: folder.url.appendingPathComponent("output.txt"), encoding: .utf8)
        let users = try folder.file("users", Data("planted-user:\(hash)".utf8))
        let port = try Program.freePort()
        let text = """
            http_port 127.0.0.1:\(port)
            auth_param basic program \(ask.path) \(users.path)
            auth_param basic children 1
            acl known proxy_auth REQUIRED
            http_access allow known
            http_access deny all
            cache deny all
            access_log none
            cache_log \(folder.url.path)/cache.log
            pid_filename \(folder.url.path)/squid.pid
            coredump_dir \(folder.url.path)
            visible_hostname localhost
            shutdown_lifetime 0 seconds
            """
        let file = try folder.file("squid.conf", Data(text.utf8))
        let program = try Program(squid, ["-N", "-f", file.path], in: folder.url)
        let proxy = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let site = Site(folder: folder, proxy: proxy, program: program)
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = try site.transport()
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if await transport.get(server).timeout(.seconds(60)).resultWhenSettled.isAnswer {
                break
            }
        }
        return site
    }

    @Test func whatIsNotSecureGoesThroughIt() async throws {
        guard let site = try await start() else { return }
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

    @Test func whoIsUnknownIsRefused() async throws {
        guard let site = try await start() else { return }
        defer { site.program.stop() }
        let server = try LoopbackServer { _ in .text("ok") }
        for password in ["planted-wrong", nil] {
            let transport = try site.transport(
                user: password.map { _ in "planted-user" }, password: password)
            #expect(try await transport.get(server).soon.status == 407)
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let error = try await transport.get(url).httpError
            #expect(error.code == .cannotConnect)
            #expect(error.reason == "the proxy answered 407")
            var dumped = ""
            dump(error, to: &dumped)
            for text in ["\(error)", error.localizedDescription, dumped] {
                #expect(!text.contains("planted"))
            }
        }
        #expect(server.acceptedConnections == 0)
    }

    @Test func someHostsAreReachedWithoutIt() async throws {
        guard let site = try await start() else { return }
        defer { site.program.stop() }
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = try site.transport(bypassing: ["localhost", "127.0.0.1"])
        #expect(try await transport.get(server).soon.headers["Via"] == nil)
    }

    @Test func aProxyThatIsNotThere() async throws {
        let gone = try #require(URL(string: "http://127.0.0.1:\(try Program.freePort())"))
        let nowhere = try #require(URL(string: "http://no-such-proxy.invalid:1"))
        let server = try LoopbackServer { _ in .text("ok") }
        let absent = try CurlTransport.connecting { $0.proxy = .server(gone) }
        #expect(try await absent.get(server).httpError.code == .cannotConnect)
        let unknown = try CurlTransport.connecting { $0.proxy = .server(nowhere) }
        let error = try await unknown.get(server).httpError
        #expect(error.code == .cannotConnect)
        #expect(error.reason == "the proxy's host was not found")
    }

    @Test func theEnvironmentNamesIt() async {
        // The environment is the process's.
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { .text("by the proxy, for \($0.target)") }
            let server = try LoopbackServer { _ in .text("directly") }
            setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            let text = try await CurlTransport().get(server).soon.text
            #expect(text == "by the proxy, for \(server.url.absoluteString)/")
            let none = try CurlTransport.connecting { $0.proxy = .none }
            let direct = try await none.get(server).soon.text
            #expect(direct == "directly")
            setenv("no_proxy", "127.0.0.1", 1)
            let bypassed = try await CurlTransport().get(server).soon.text
            #expect(bypassed == "directly")
        }
    }
}

extension Result<HTTPResponse, any Error> {
    fileprivate var isAnswer: Bool { (try? get())?.status == 200 }
}
#endif
