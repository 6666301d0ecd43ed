#if AsyncHTTPClient
import Foundation
import HTTPTestSupport
import Pledge
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

/// Settings that AsyncHTTPClient cannot apply are reported when a transport is made.
struct ConnectionRoutesTests {
    private func refusal(
        _ configuration: AHCTransport.Configuration = .init(),
        in environment: [String: String] = [:],
        _ adjust: (inout ConnectionSettings) throws -> Void
    ) rethrows -> String? {
        var settings = ConnectionSettings()
        try adjust(&settings)
        do throws(UnsupportedSetting) {
            _ = try AHCTransport(configuration, connecting: settings, in: environment)
            return nil
        } catch {
            return error.description
        }
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func theDefaultIsKept() { #expect(refusal { _ in } == nil) }

    @Test func anAgeOfConnectionsIsNotKept() {
        #expect(
            refusal { $0.maxConnectionAge = .seconds(60) }
                == "maxConnectionAge: AsyncHTTPClient has no setting for it: use CurlTransport")
        // It keeps no addresses at all.
        #expect(refusal { $0.addressLifetime = .seconds(60) } == nil)
    }

    @Test func versionsThatCannotBeSpoken() {
        #expect(
            refusal { $0.versions = .http2 }
                == "versions: AsyncHTTPClient speaks HTTP/2 where TLS has agreed on it only: use .automatic,"
                + " or CurlTransport")
        #expect(
            refusal { $0.versions = .http3 }
                == "versions: AsyncHTTPClient speaks no HTTP/3: CurlTransport does where libcurl has it"
        )
    }

    private let others =
        "proxy: AsyncHTTPClient takes the URL of a proxy that begins with http or socks5h:"
        + " CurlTransport takes https, socks4, socks4a and socks5 too"

    @Test(arguments: [
        "https://a:1", "socks5://a", "socks4://a", "socks4a://a", "ftp://a", "a:1", "//a",
    ])
    func proxiesThatCannotBeAsked(text: String) throws {
        #expect(try refusal { $0.proxy = .server(try url(text)) } == others)
    }

    @Test(arguments: ["https://u:planted@a:1", "http://planted@[x/", "http://"])
    func proxiesOfTheEnvironmentThatCannotBeAsked(text: String) {
        #expect(refusal(in: ["https_proxy": text]) { _ in } == others)
        #expect(refusal(in: ["https_proxy": text]) { $0.proxy = .none } == nil)
    }

    @Test func aSOCKSProxyIsShownNoUser() throws {
        #expect(
            try refusal { $0.proxy = .server(try url("socks5h://planted:secret@a")) }
                == "proxy: AsyncHTTPClient shows a SOCKS proxy no user: CurlTransport does")
        #expect(try refusal { $0.proxy = .server(try url("socks5h://a:1")) } == nil)
    }

    @Test func unixSockets() throws {
        for path in ["", String(repeating: "a", count: 104)] {
            #expect(
                refusal { $0.unixSocketPath = path }
                    == "unixSocketPath: a path has 1 to 103 bytes")
        }
        let error = try refusal {
            $0.unixSocketPath = "/run/a"
            $0.proxy = .server(try url("http://a"))
        }
        #expect(error == "proxy: requests go by the Unix domain socket: set one of the two")
    }

    @Test func addresses() {
        #expect(
            refusal { $0.addresses = ["a": ["127.0.0.1", "127.0.0.2"]] }
                == "addresses: AsyncHTTPClient takes one address for a host, not 2 for a: CurlTransport takes"
                + " several")
        #expect(refusal { $0.addresses = ["a": ["b"]] } == "addresses: b is no address")
        #expect(refusal { $0.addresses = ["a": ["::1"]] } == nil)
    }

    @Test func filesMustHoldWhatTheyShould() {
        let file = URL(fileURLWithPath: "/nowhere.pem")
        let words = "the file /nowhere.pem cannot be read as certificates or a key in PEM"
        for authorities in [TLSSettings.Authorities.only(file), .systemAnd(file)] {
            #expect(refusal { $0.tls.authorities = authorities } == "tls.authorities: \(words)")
        }
        #expect(
            refusal { $0.tls.clientCertificate = .init(chain: file, privateKey: file) }
                == "tls.clientCertificate: \(words)")
        #expect(
            refusal { $0.tls.clientCertificate = .init(pkcs12: file, password: "a") }
                == "tls.clientCertificate: the file /nowhere.pem cannot be read as PKCS#12")
    }

    @Test func theLimitsHaveTheDefaultsOfCurlTransport() {
        let (own, curl) = (AHCTransport.Configuration(), CurlTransport.Configuration())
        #expect(own.connectTimeout == curl.connectTimeout)
        #expect(own.connectionWaitTimeout == curl.connectionWaitTimeout)
        #expect(own.idleTimeout == curl.idleTimeout)
        #expect(own.keepAlive == curl.keepAlive)
        #expect(own.maxBodySize == curl.maxBodySize)
        #expect(own.maxHeadSize == curl.maxHeadSize)
        #expect(own.maxConnectionsPerHost == curl.maxConnectionsPerHost)
    }

    @Test func networksAreNotChosen() {
        #expect(
            refusal { $0.waitsForConnectivity = true }
                == "waitsForConnectivity: AsyncHTTPClient does not choose between networks:"
                + " SessionTransport does on Apple's systems")
    }
}

/// Calls through a proxy that answers itself.
@Suite(.oneAtATime) struct ProxiedCallTests {
    private let proxy: LoopbackServer

    init() throws {
        proxy = try LoopbackServer { request in
            .text("\(request.target) of \(request.header("Host") ?? "") by the proxy")
        }
    }

    private func transport(
        _ settings: ProxySettings, in environment: [String: String] = [:]
    ) throws -> AHCTransport {
        var connecting = ConnectionSettings()
        connecting.proxy = settings
        return try AHCTransport(connecting: connecting, in: environment)
    }

    private func text(_ transport: AHCTransport, _ text: String) async throws -> String? {
        try await transport.send(HTTPRequest(.get, try #require(URL(string: text)))).value.text
    }

    @Test func sendsTheWholeURLToTheProxy() async throws {
        let transport = try transport(.server(proxy.url, user: "me", password: "s@cret"))
        let url = try #require(URL(string: "http://example.invalid:81/a//b%20?c=%26#d"))
        let target = "http://example.invalid:81/a//b%20?c=%26"
        for _ in 0..<2 {
            let response = try await transport.send(HTTPRequest(.get, url)).value
            #expect(response.text == "\(target) of example.invalid:81 by the proxy")
            #expect(response.url == url)
        }
        let named = HTTPRequest(
            .put, url, headers: ["Host": "other"], body: .data(Data("x".utf8)))
        #expect(try await transport.send(named).value.text == "\(target) of other by the proxy")
        for request in proxy.requests {
            #expect(request.headers("Proxy-Authorization") == ["Basic bWU6c0BjcmV0"])
        }
        #expect(proxy.requests.last?.text == "x")
    }

    @Test func sharesTheProxysConnectionsAmongServers() async throws {
        let transport = try transport(.server(proxy.url))
        for host in ["a.invalid", "b.invalid"] {
            #expect(
                try await text(transport, "http://\(host)/")
                    == "http://\(host)/ of \(host) by the proxy")
        }
        #expect(proxy.requests.allSatisfy { $0.header("Proxy-Authorization") == nil })
    }

    @Test func aTransportByDefaultGoesByTheProxyOfTheEnvironment() async throws {
        let transport = AHCTransport(
            AHCTransport.Configuration(), in: ["all_proxy": "http://127.0.0.1:\(proxy.port)"],
            on: .live)
        #expect(
            try await text(transport, "http://example.invalid/")
                == "http://example.invalid/ of example.invalid by the proxy")
    }

    @Test func aTransportByDefaultSaysWhichProxyItCannotAsk() async throws {
        let transport = AHCTransport(
            AHCTransport.Configuration(), in: ["all_proxy": "https://planted:word@a"], on: .live)
        let error = await #expect(throws: HTTPError.self) {
            try await text(transport, "http://example.invalid/")
        }
        #expect(error?.code == .unsupported)
        #expect(error?.description.contains("begins with http or socks5h") == true)
        #expect(error?.description.contains("planted") == false)
        #expect(try await transport.close().value == ())
    }

    @Test(arguments: ["http_proxy", "all_proxy", "ALL_PROXY"])
    func goesByTheProxyOfTheEnvironment(name: String) async throws {
        let transport = try transport(.environment, in: [name: "127.0.0.1:\(proxy.port)"])
        #expect(
            try await text(transport, "http://example.invalid/")
                == "http://example.invalid/ of example.invalid by the proxy")
    }

    @Test func asksTheProxyForATunnelToASecureServer() async throws {
        let transport = try transport(
            .environment,
            in: [
                "https_proxy": "http://u:p@127.0.0.1:\(proxy.port)",
                "http_proxy": "http://127.0.0.1:9",
            ])
        await #expect(throws: HTTPError.self) {
            try await text(transport, "https://example.invalid/")
        }
        #expect(proxy.requests.first?.target == "example.invalid:443")
        #expect(proxy.requests.first?.header("Proxy-Authorization") == "Basic dTpw")
    }

    @Test func goesPastTheProxyToSomeHosts() async throws {
        let server = try LoopbackServer { .text("\($0.target) by itself") }
        let all = [
            try transport(.server(proxy.url, bypassing: ["127.0.0.0/8"])),
            try transport(
                .environment, in: ["http_proxy": proxy.url.absoluteString, "no_proxy": "127.0.0.1"]),
        ]
        for transport in all {
            #expect(try await text(transport, "\(server.url)/a") == "/a by itself")
            #expect(
                try await text(transport, "http://example.invalid/")
                    == "http://example.invalid/ of example.invalid by the proxy")
            #expect(try await transport.close().value == ())
        }
        #expect(server.requests.count == 2)
    }

    @Test func goesByNoProxyWhereThereIsToBeNone() async throws {
        let server = try LoopbackServer { _ in .text("by itself") }
        let environment = ["all_proxy": proxy.url.absoluteString]
        #expect(
            try await text(try transport(.none, in: environment), "\(server.url)/") == "by itself")
        #expect(proxy.requests.isEmpty)
    }

    @Test func theProxysRefusalIsTheAnswer() async throws {
        let refusing = try LoopbackServer { _ in .text("no", status: 407) }
        let transport = try transport(.server(refusing.url))
        let url = try #require(URL(string: "http://example.invalid/"))
        #expect(try await transport.send(HTTPRequest(.get, url)).value.status == 407)
        let error = await #expect(throws: HTTPError.self) {
            try await text(transport, "https://example.invalid/")
        }
        #expect(error?.code == .proxyRefused)
        #expect(error?.reason == "the proxy answered 407")
    }

    @Test func leavesNamesToASOCKSProxy() async throws {
        let server = try LoopbackServer { .text("\($0.target) of \($0.header("Host") ?? "")") }
        let socks = try SOCKSServer()
        defer { socks.stop() }
        let proxy = socks.url("socks5h").absoluteString
        let transport = try transport(.environment, in: ["http_proxy": proxy])
        let url = "http://example.invalid:\(server.port)/a"
        #expect(try await text(transport, url) == "/a of example.invalid:\(server.port)")
        #expect(socks.asked == ["example.invalid:\(server.port)"])
        #expect(try await transport.close().value == ())
    }

    @Test func getsToASecureServerByATunnel() async throws {
        let server = try await TLSServer()
        let port = UInt16(try #require(server.url.port))
        let tunnel = try SocketServer { connection in
            guard connection.head() != nil else { return }
            let greeting = Array("HTTP/1.1 200 Connected\r\n\r\n".utf8)
            _ = connection.forward(toPort: port, saying: greeting)
        }
        defer { tunnel.stop() }
        var settings = ConnectionSettings()
        settings.tls.authorities = .only(TestCertificates.url("authority"))
        settings.proxy = .server(tunnel.url())
        let transport = try AHCTransport(connecting: settings)
        #expect(try await text(transport, server.url.absoluteString) == "HTTP/1.1 GET ")
        try await server.stop()
    }
}
#endif
