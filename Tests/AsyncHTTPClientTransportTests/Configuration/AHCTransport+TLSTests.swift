#if AsyncHTTPClient
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import Testing

@testable import PledgeAsyncHTTPClientTransport

struct AHCTransportTLSTests {
    private func configuration(
        _ adjust: (inout AHCTransport.Configuration) throws -> Void = { _ in }
    ) throws -> AHCTransport.Configuration {
        var configuration = AHCTransport.Configuration()
        try configuration.tls.trust(certificatesIn: TestCertificates.url("authority"))
        try adjust(&configuration)
        return configuration
    }

    @Test func speaksHTTP2WhereTheServerDoes() async throws {
        let server = try await TLSServer(protocols: ["h2", "http/1.1"])
        let transport = AHCTransport(try configuration())
        let responses = (0..<10).map { index in
            transport.send(HTTPRequest(.post, server.url, body: .data(Data("\(index)".utf8))))
        }
        for (index, response) in responses.enumerated() {
            let response = try await response.value
            #expect(response.text == "HTTP/2 POST \(index)")
            #expect(response.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
        }
        try await server.stop()
    }

    @Test func streamsOverHTTP2() async throws {
        let server = try await TLSServer(protocols: ["h2"])
        let transport = AHCTransport(try configuration())
        let data = Data(repeating: 65, count: 1 << 20)
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(data) }
        let request = HTTPRequest(.post, server.url, body: .stream(source))
        let response = try await transport.stream(request).value
        let body = try await response.body.collected(upTo: 2 << 20).value
        #expect(body == Data("HTTP/2 POST ".utf8) + data)
        let cancelled = try await transport.stream(request).value
        _ = try await cancelled.body.next().value
        cancelled.body.cancel()
        let next = try await transport.send(HTTPRequest(.get, server.url)).value
        #expect(next.text == "HTTP/2 GET ")
        try await server.stop()
    }

    @Test func speaksHTTP1WhereItIsToldTo() async throws {
        let server = try await TLSServer(protocols: ["h2", "http/1.1"])
        let transport = AHCTransport(try configuration { $0.httpVersion = .http1Only })
        let response = try await transport.send(HTTPRequest(.get, server.url)).value
        #expect(response.text == "HTTP/1.1 GET ")
        try await server.stop()
    }

    @Test func refusesAStrangersCertificate() async throws {
        let server = try await TLSServer()
        let request = HTTPRequest(.get, server.url)
        let error = await #expect(throws: HTTPError.self) {
            try await AHCTransport().send(request).value
        }
        #expect(error?.code == .insecureConnection)
        #expect(error?.request == request)
        try await server.stop()
    }

    @Test(arguments: [
        (AHCTransport.TLS.Verification.full, false), (.authorityOnly, true), (.none, true),
    ])
    func comparesTheHostAsItIsTold(
        verification: AHCTransport.TLS.Verification, succeeds: Bool
    ) async throws {
        let server = try await TLSServer()
        let port = try #require(server.url.port)
        let url = try #require(URL(string: "https://127.0.0.1:\(port)/"))
        let transport = AHCTransport(try configuration { $0.tls.verification = verification })
        let result = await transport.send(HTTPRequest(.get, url)).resultWhenSettled
        if succeeds {
            #expect(try result.get().text == "HTTP/1.1 GET ")
        } else {
            let error = #expect(throws: HTTPError.self) { try result.get() }
            #expect(error?.code == .insecureConnection)
        }
        try await server.stop()
    }

    @Test func trustsNobodyElseWhereItIsToldTo() async throws {
        let server = try await TLSServer()
        var configuration = AHCTransport.Configuration()
        try configuration.tls.trustOnly(certificatesIn: TestCertificates.url("client"))
        let error = await #expect(throws: HTTPError.self) {
            try await AHCTransport(configuration).send(HTTPRequest(.get, server.url)).value
        }
        #expect(error?.code == .insecureConnection)
        try configuration.tls.trustOnly(certificatesIn: TestCertificates.url("authority"))
        let response = try await AHCTransport(configuration).send(HTTPRequest(.get, server.url))
            .value
        #expect(response.status == 200)
        try await server.stop()
    }

    @Test func showsItsCertificateWhereTheServerAsks() async throws {
        let server = try await TLSServer(asksForCertificate: true)
        await #expect(throws: HTTPError.self) {
            try await AHCTransport(try configuration()).send(HTTPRequest(.get, server.url)).value
        }
        let known = try configuration {
            try $0.tls.identify(
                byCertificatesIn: TestCertificates.url("client"),
                privateKeyIn: TestCertificates.url("client-key"))
        }
        let response = try await AHCTransport(known).send(HTTPRequest(.get, server.url)).value
        #expect(response.status == 200)
        try await server.stop()
    }

    @Test func namesTheFileThatIsNoCertificate() {
        var tls = AHCTransport.TLS()
        let file = URL(filePath: #filePath)
        let error = #expect(throws: AHCTransport.TLS.Unreadable.self) {
            try tls.trust(certificatesIn: file)
        }
        #expect(error?.file == file)
        #expect(error?.description.contains("AHCTransport+TLSTests.swift") == true)
        #expect(throws: AHCTransport.TLS.Unreadable.self) {
            try tls.identify(
                byCertificatesIn: TestCertificates.url("client"), privateKeyIn: file)
        }
    }

    @Test func keepsTheVersionItIsGiven() {
        var tls = AHCTransport.TLS()
        #expect(tls.minimumVersion == .tls12)
        #expect(tls.verification == .full)
        // The types are those of the settings of every transport.
        let settings = TLSSettings()
        tls.minimumVersion = settings.minimumVersion
        tls.verification = settings.verification
        #expect(tls.minimumVersion == .tls12)
        #expect(tls.verification == .full)
        tls.minimumVersion = .tls13
        tls.verification = .authorityOnly
        #expect(tls.minimumVersion == .tls13)
        #expect(tls.verification == .authorityOnly)
    }
}
#endif
