import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/ProxiesAndTLS.md.
@Suite(.oneAtATime)
struct ProxiesAndTLSExamples {
    private let loopback: LoopbackServer
    private var server: URL { loopback.url }

    init() throws {
        loopback = try LoopbackServer { request in .text(request.target) }
    }

    // snippet: proxy
    func transport(by proxy: URL, as user: String, password: String) throws -> CurlTransport {
        var settings = ConnectionSettings()
        settings.proxy = .server(proxy, user: user, password: password, bypassing: ["localhost"])
        return try CurlTransport(connecting: settings)
    }
    // end snippet

    @Test func proxy() async throws {
        let transport = try transport(by: server, as: "tangent", password: "secret")
        let request = HTTPRequest(.get, try #require(URL(string: "http://api.example.com/v1")))
        let response = try await transport.send(request).value
        #expect(response.text == "http://api.example.com/v1")
        let credentials = Data("tangent:secret".utf8).base64EncodedString()
        let sent = loopback.requests.first?.headers["Proxy-Authorization"]
        #expect(sent == "Basic \(credentials)")
    }

    // snippet: roots
    func transport(trusting authority: URL) throws -> CurlTransport {
        var settings = ConnectionSettings()
        settings.tls.authorities = .systemAnd(authority)
        settings.tls.minimumVersion = .tls13
        return try CurlTransport(connecting: settings)
    }
    // end snippet

    // snippet: certificate
    func transport(showing chain: URL, key: URL) throws -> CurlTransport {
        var settings = ConnectionSettings()
        settings.tls.clientCertificate = TLSSettings.ClientCertificate(
            chain: chain, privateKey: key)
        return try CurlTransport(connecting: settings)
    }
    // end snippet

    @Test func filesThatAreNotThereAreToldAtOnce() {
        let file = URL(fileURLWithPath: "/no/such/file.pem")
        let error = #expect(throws: UnsupportedSetting.self) { try transport(trusting: file) }
        #expect(error?.description == "tls.authorities: the file /no/such/file.pem cannot be read")
        #expect(throws: UnsupportedSetting.self) { try transport(showing: file, key: file) }
    }

    // snippet: pins
    func transport(pinning keys: [PinnedKey]) throws -> CurlTransport {
        var settings = ConnectionSettings()
        settings.tls.pinnedKeys = keys
        return try CurlTransport(connecting: settings)
    }
    // end snippet

    @Test func pins() async throws {
        let key = try #require(
            PinnedKey(sha256: Data(repeating: 7, count: 32).base64EncodedString()))
        // Without TLS there is no key to compare.
        let response = try await transport(pinning: [key]).send(HTTPRequest(.get, server)).value
        #expect(response.status == 200)
    }

    // snippet: apple
    func transport(
        pinning keys: [PinnedKey], showing bundle: URL, password: String
    ) throws -> SessionTransport {
        var settings = ConnectionSettings()
        settings.tls.pinnedKeys = keys
        settings.tls.clientCertificate = .init(pkcs12: bundle, password: password)
        return try SessionTransport(connecting: settings)
    }
    // end snippet

    @Test func aCertificateOnApplesSystems() {
        let file = URL(fileURLWithPath: "/no/such/file.p12")
        let error = #expect(throws: UnsupportedSetting.self) {
            try transport(pinning: [], showing: file, password: "secret")
        }
        #expect(error?.setting == "tls.clientCertificate")
    }

    // snippet: networks
    func patientTransport() throws -> SessionTransport {
        var settings = ConnectionSettings()
        settings.waitsForConnectivity = true
        settings.allowsExpensiveNetworks = false  // cellular, a phone's hotspot
        settings.allowsConstrainedNetworks = false  // Low Data Mode
        return try SessionTransport(connecting: settings)
    }
    // end snippet

    @Test func networks() async throws {
        #if canImport(FoundationNetworking)
        let error = #expect(throws: UnsupportedSetting.self) { try patientTransport() }
        #expect(error?.setting == "waitsForConnectivity")
        #else
        #expect(try await patientTransport().send(HTTPRequest(.get, server)).value.status == 200)
        #endif
    }

    // snippet: socket
    func transport(to socket: URL) throws -> CurlTransport {
        var settings = ConnectionSettings()
        settings.unixSocketPath = socket.path
        settings.proxy = .none
        return try CurlTransport(connecting: settings)
    }
    // end snippet

    @Test func socket() async throws {
        let nowhere = FileManager.default.temporaryDirectory.appending(path: "no-such.sock")
        let error = await #expect(throws: HTTPError.self) {
            try await transport(to: nowhere).send(HTTPRequest(.get, server)).value
        }
        #expect(error?.code == .cannotConnect)
    }

    // snippet: addresses
    func transport(sending host: String, to address: String) throws -> CurlTransport {
        var settings = ConnectionSettings()
        settings.addresses = [host: [address]]
        return try CurlTransport(connecting: settings)
    }
    // end snippet

    @Test func addresses() async throws {
        let port = try #require(server.port)
        let url = try #require(URL(string: "http://api.example.com:\(port)/by-hand"))
        let transport = try transport(sending: "api.example.com", to: "127.0.0.1")
        #expect(try await transport.send(HTTPRequest(.get, url)).value.text == "/by-hand")
    }
}
