// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Recipes/Connections.md.
@Suite(.oneAtATime)
struct RecipesConnectionsExamples {
    private let loopback: LoopbackServer
    private var server: URL { loopback.url }

    init() throws {
        loopback = try LoopbackServer { request in .text(request.target) }
    }

    /// The text of what a client gets from a path of the server.
    private func text(_ path: String, by client: HTTPClient) async throws -> String {
        String(decoding: try await client.networking(Endpoint(path: path)).value, as: UTF8.self)
    }

    // snippet: proxy
    func client(of server: URL, by proxy: URL) throws -> HTTPClient {
        var settings = ConnectionSettings()
        settings.proxy = .server(
            proxy, user: "tangent", password: "secret", bypassing: ["localhost"])
        return HTTPClient(base: server, over: try CurlTransport(connecting: settings))
    }
    // end snippet

    @Test func proxy() async throws {
        let shop = try #require(URL(string: "http://shop.example.com"))
        let client = try client(of: shop, by: server)
        #expect(try await text("/products", by: client) == "http://shop.example.com/products")
    }

    // snippet: no-proxy
    func clientWithoutProxy(of server: URL) throws -> HTTPClient {
        var settings = ConnectionSettings()
        settings.proxy = .none
        return HTTPClient(base: server, over: try CurlTransport(connecting: settings))
    }
    // end snippet

    @Test func noProxy() async throws {
        #expect(try await text("/direct", by: clientWithoutProxy(of: server)) == "/direct")
    }

    // snippet: pin
    func client(of server: URL, pinning today: String, _ next: String) throws -> HTTPClient {
        guard let key = PinnedKey(sha256: today), let nextKey = PinnedKey(sha256: next) else {
            preconditionFailure("a pin is no SHA-256 in base64")
        }
        var settings = ConnectionSettings()
        settings.tls.pinnedKeys = [key, nextKey]
        return HTTPClient(base: server, over: try CurlTransport(connecting: settings))
    }
    // end snippet

    @Test func pin() async throws {
        let hashes = [7, 8].map { Data(repeating: $0, count: 32).base64EncodedString() }
        let client = try client(of: server, pinning: hashes[0], hashes[1])
        // Without TLS there is no key to compare.
        #expect(try await text("/plain", by: client) == "/plain")
    }

    // snippet: authority
    func client(of server: URL, trusting authority: URL) throws -> HTTPClient {
        var settings = ConnectionSettings()
        settings.tls.authorities = .systemAnd(authority)
        return HTTPClient(base: server, over: try CurlTransport(connecting: settings))
    }
    // end snippet

    @Test func authority() {
        let file = URL(fileURLWithPath: "/no/such/file.pem")
        #expect(throws: UnsupportedSetting.self) { try client(of: server, trusting: file) }
    }

    // snippet: socket
    func docker() throws -> HTTPClient {
        var settings = ConnectionSettings()
        settings.unixSocketPath = "/var/run/docker.sock"
        settings.proxy = .none
        return HTTPClient(
            base: URL(string: "http://localhost"),
            over: try CurlTransport(connecting: settings))
    }
    // end snippet

    @Test func socket() throws {
        #expect(try docker().description == "HTTPClient(http://localhost:80)")
    }

    // snippet: http2
    func versions(of server: URL) async throws -> String {
        let client = HTTPClient(base: server, over: CurlTransport())
        let response = try await client.get("/")
        return response.timing.connection?.protocolVersion ?? "unknown"
    }
    // end snippet

    @Test func http2() async throws {
        #expect(try await versions(of: server) == "HTTP/1.1")
    }

    // snippet: address
    func client(of server: URL, at address: String) throws -> HTTPClient {
        var settings = ConnectionSettings()
        settings.addresses = [server.host() ?? "": [address]]
        return HTTPClient(base: server, over: try CurlTransport(connecting: settings))
    }
    // end snippet

    @Test func address() async throws {
        let port = try #require(server.port)
        let staging = try #require(URL(string: "http://shop.example.com:\(port)"))
        let client = try client(of: staging, at: "127.0.0.1")
        #expect(try await text("/staging", by: client) == "/staging")
    }

    @Test func session() async throws {
        // snippet: session
        let transport = SessionTransport(session: .shared)
        let client = HTTPClient(base: server, over: transport)
        let data: Data = try await client.get("/products")
        // end snippet
        #expect(String(decoding: data, as: UTF8.self) == "/products")
    }

    @Test func connections() async throws {
        // snippet: connections
        let transport = try CurlTransport(
            CurlTransport.Configuration(
                connectTimeout: .seconds(5), idleTimeout: .seconds(20),
                maxBodySize: 1 << 20, maxConnectionsPerHost: 20))
        let client = HTTPClient(base: server, over: transport)
        let data: Data = try await client.get("/products")
        // end snippet
        #expect(String(decoding: data, as: UTF8.self) == "/products")
    }
}
