#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPTestSupport
import NIOSSL
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

#if Observability
import Tracing
#endif

struct AHCTransportTLSTests {
    private func transport(
        _ adjust: (inout ConnectionSettings) -> Void = { _ in }
    ) throws -> AHCTransport {
        var settings = ConnectionSettings()
        settings.tls.authorities = .systemAnd(TestCertificates.url("authority"))
        adjust(&settings)
        return try AHCTransport(connecting: settings)
    }

    @Test func speaksHTTP2WhereTheServerDoes() async throws {
        let server = try await TLSServer(protocols: ["h2", "http/1.1"])
        let transport = try transport()
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
        let transport = try transport()
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

    @Test func showsItsCertificateWhereTheServerAsks() async throws {
        let server = try await TLSServer(asksForCertificate: true)
        await #expect(throws: HTTPError.self) {
            try await transport().send(HTTPRequest(.get, server.url)).value
        }
        let known = try transport {
            $0.tls.clientCertificate = .init(
                chain: TestCertificates.url("client"),
                privateKey: TestCertificates.url("client-key"))
        }
        let response = try await known.send(HTTPRequest(.get, server.url)).value
        #expect(response.status == 200)
        try await server.stop()
    }
}

/// Each setting that AsyncHTTPClient supports, tested with a server.
@Suite(.oneAtATime) struct AHCTransportConnectingTests {
    private let authority = TestCertificates.url("authority")

    private func transport(
        in environment: [String: String] = [:], _ adjust: (inout ConnectionSettings) throws -> Void
    ) throws -> AHCTransport {
        var settings = ConnectionSettings()
        try adjust(&settings)
        return try AHCTransport(connecting: settings, in: environment)
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    /// A server's answer to a GET, or the error of the call.
    private func answer(_ transport: AHCTransport, _ url: URL) async throws -> String? {
        try await transport.send(HTTPRequest(.get, url)).value.text
    }

    private func code(_ transport: AHCTransport, _ url: URL) async -> HTTPError.Code? {
        await #expect(throws: HTTPError.self) { try await answer(transport, url) }?.code
    }

    @Test func trustsTheAuthoritiesOfAFile() async throws {
        let server = try await TLSServer()
        for authorities in [TLSSettings.Authorities.only(authority), .systemAnd(authority)] {
            let transport = try transport { $0.tls.authorities = authorities }
            #expect(try await answer(transport, server.url) == "HTTP/1.1 GET ")
        }
        let others = TestCertificates.url("client")
        for authorities in [TLSSettings.Authorities.only(others), .system] {
            let transport = try transport { $0.tls.authorities = authorities }
            #expect(await code(transport, server.url) == .insecureConnection)
        }
        try await server.stop()
    }

    @Test func speaksHTTP1WhereItIsToldTo() async throws {
        let server = try await TLSServer(protocols: ["h2", "http/1.1"])
        for (versions, version) in [
            (ConnectionSettings.Versions.automatic, "HTTP/2"), (.http1, "HTTP/1.1"),
        ] {
            let transport = try transport {
                $0.tls.authorities = .only(authority)
                $0.versions = versions
            }
            #expect(try await answer(transport, server.url) == "\(version) GET ")
        }
        try await server.stop()
    }

    @Test func speaksNoOlderVersionOfTLS() async throws {
        let server = try await TLSServer(newest: .tlsv12)
        for (version, succeeds) in [(TLSSettings.Version.tls12, true), (.tls13, false)] {
            let transport = try transport {
                $0.tls.authorities = .only(authority)
                $0.tls.minimumVersion = version
            }
            if succeeds {
                #expect(try await answer(transport, server.url) == "HTTP/1.1 GET ")
            } else {
                #expect(await code(transport, server.url) == .insecureConnection)
            }
        }
        try await server.stop()
    }

    @Test func comparesTheHostAsItIsTold() async throws {
        let server = try await TLSServer()
        let other = try url("https://127.0.0.1:\(try #require(server.url.port))/")
        for (verification, succeeds) in [
            (TLSSettings.Verification.full, false), (.authorityOnly, true), (.none, true),
        ] {
            let transport = try transport {
                $0.tls.authorities = .only(authority)
                $0.tls.verification = verification
            }
            if succeeds {
                #expect(try await answer(transport, other) == "HTTP/1.1 GET ")
            } else {
                #expect(await code(transport, other) == .insecureConnection)
            }
        }
        try await server.stop()
    }

    @Test func showsItsCertificateByAnEncryptedKey() async throws {
        let server = try await TLSServer(asksForCertificate: true)
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("pledge-key-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try shell(
            "openssl pkcs8 -topk8 -v2 aes-256-cbc -passout pass:planted-word"
                + " -in '\(TestCertificates.url("client-key").path)' -out '\(folder.path)'")
        let certificate = { (password: String?) in
            TLSSettings.ClientCertificate(
                chain: TestCertificates.url("client"), privateKey: folder, password: password)
        }
        let known = try transport {
            $0.tls.authorities = .only(authority)
            $0.tls.clientCertificate = certificate("planted-word")
        }
        #expect(try await answer(known, server.url) == "HTTP/1.1 GET ")
        let error = #expect(throws: UnsupportedSetting.self) {
            try transport { $0.tls.clientCertificate = certificate("planted-wrong") }
        }
        #expect(error?.setting == "tls.clientCertificate")
        #expect(error?.reason.contains("planted") == false)
        try await server.stop()
    }

    @Test func showsItsCertificateFromOneFile() async throws {
        let server = try await TLSServer(asksForCertificate: true)
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("pledge-key-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try shell(
            "openssl pkcs12 -export -passout pass:planted-word"
                + " -in '\(TestCertificates.url("client").path)'"
                + " -inkey '\(TestCertificates.url("client-key").path)' -out '\(file.path)'")
        let known = try transport {
            $0.tls.authorities = .only(authority)
            $0.tls.clientCertificate = .init(pkcs12: file, password: "planted-word")
        }
        #expect(try await answer(known, server.url) == "HTTP/1.1 GET ")
        let error = #expect(throws: UnsupportedSetting.self) {
            try transport {
                $0.tls.clientCertificate = .init(pkcs12: file, password: "planted-wrong")
            }
        }
        #expect(error?.reason == "the file \(file.path) cannot be read as PKCS#12")
        try await server.stop()
    }

    @Test(arguments: [["http/1.1"], ["h2"]])
    func asksNobodyWithoutAPinnedKey(protocols: [String]) async throws {
        let server = try await TLSServer(protocols: protocols)
        let pin = { (name: String) in
            try #require(
                PinnedKey(
                    sha256: try shell(
                        "openssl x509 -in '\(TestCertificates.url(name).path)' -pubkey -noout"
                            + " | openssl pkey -pubin -outform der"
                            + " | openssl dgst -sha256 -binary | openssl base64")))
        }
        for (names, succeeds) in [(["client", "server"], true), (["client"], false)] {
            let transport = try transport {
                $0.tls.authorities = .only(authority)
                $0.tls.pinnedKeys = try names.map(pin)
            }
            if succeeds {
                #expect(try await answer(transport, server.url)?.hasSuffix(" GET ") == true)
            } else {
                let error = await #expect(throws: HTTPError.self) {
                    try await answer(transport, server.url)
                }
                #expect(error?.code == .insecureConnection)
                #expect(error?.reason == "the server has none of the pinned keys")
            }
            #expect(try await transport.close().value == ())
        }
        try await server.stop()
    }

    @Test func connectsToAGivenAddress() async throws {
        let server = try LoopbackServer { .text($0.header("Host") ?? "") }
        let transport = try transport { $0.addresses = ["api.example.com": ["127.0.0.1"]] }
        let url = try url("http://api.example.com:\(server.port)/")
        #expect(try await answer(transport, url) == "api.example.com:\(server.port)")
    }

    @Test func comparesTheHostAtAGivenAddress() async throws {
        let server = try await TLSServer()
        let transport = try transport {
            $0.tls.authorities = .only(authority)
            $0.addresses = ["localhost": ["127.0.0.1"], "example.com": ["127.0.0.1"]]
        }
        #expect(try await answer(transport, server.url) == "HTTP/1.1 GET ")
        let other = try url("https://example.com:\(try #require(server.url.port))/")
        #expect(await code(transport, other) == .insecureConnection)
        try await server.stop()
    }

    @Test func asksByAUnixSocket() async throws {
        let path = "/tmp/pledge-\(UUID().uuidString.prefix(8)) %.sock"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try SocketServer(.unix(path)) { connection in
            while let head = connection.head() {
                if head.hasPrefix("POST") { _ = connection.bytes(1) }
                let lines = head.split(separator: "\r\n")
                let host = lines.first { $0.lowercased().hasPrefix("host: ") }
                let target = lines[0].split(separator: " ")[1]
                connection.answer("\(target) of \(host.map { $0.dropFirst(6) } ?? "")")
            }
        }
        defer { server.stop() }
        let transport = try transport(in: ["all_proxy": "http://127.0.0.1:9"]) {
            $0.unixSocketPath = path
        }
        #expect(
            try await answer(transport, try url("http://api.example.com:81/a%20b?c=%26#d"))
                == "/a%20b?c=%26 of api.example.com:81")
        let request = HTTPRequest(
            .post, try url("http://[::1]"), headers: ["Host": "other"],
            body: .data(Data("x".utf8)))
        #expect(try await transport.send(request).value.text == "/ of other")
    }

    @Test func asksSecurelyByAUnixSocketWithoutComparingTheHost() async throws {
        let path = "/tmp/pledge-\(UUID().uuidString.prefix(8)).sock"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try await TLSServer(socket: path)
        let adjust = { (settings: inout ConnectionSettings) in
            settings.unixSocketPath = path
            settings.tls.authorities = .only(authority)
        }
        let full = try transport(adjust)
        #expect(await code(full, try url("https://localhost/")) == .insecureConnection)
        let lenient = try transport {
            adjust(&$0)
            $0.tls.verification = .authorityOnly
        }
        #expect(try await answer(lenient, try url("https://localhost/")) == "HTTP/1.1 GET ")
        try await server.stop()
    }
}

/// The output of a shell command, without the last line feed.
private func shell(_ command: String) throws -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-ec", command]
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
}

#if Observability
struct AHCTransportClientTests {
    /// AsyncHTTPClient uses the tracer of `InstrumentationSystem` by itself, including one that does nothing.
    @Test func leavesSpansToTheMiddleware() {
        #expect(HTTPClient.Configuration().tracing.tracer != nil)
        #expect(AHCTransport.Configuration().lowered().tracing.tracer == nil)
    }
}
#endif
#endif
