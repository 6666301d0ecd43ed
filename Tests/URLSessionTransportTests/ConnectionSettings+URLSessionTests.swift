import Foundation
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeURLSessionTransport

/// Settings that URLSession cannot apply are reported when a transport is made.
@Suite(.oneAtATime) struct ConnectionSettingsURLSessionTests {
    private func refusal(
        on system: URLSessionSystem = .here, in environment: [String: String] = [:],
        _ adjust: (inout ConnectionSettings) throws -> Void
    ) rethrows -> String? {
        var settings = ConnectionSettings()
        try adjust(&settings)
        do throws(UnsupportedSetting) {
            try settings.checkForURLSession(in: environment, on: system)
            return nil
        } catch {
            return error.description
        }
    }

    private let apples = [URLSessionSystem.macOS, .iOS]

    private let file = URL(fileURLWithPath: "/a.pem")

    @Test func theDefaultIsKept() async throws {
        #expect(refusal(in: ["all_proxy": "http://a"]) { _ in } == nil)
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = try SessionTransport(
            .init(idleTimeout: nil), connecting: ConnectionSettings())
        #expect(try await transport.send(HTTPRequest(.get, server.url)).soon.text == "ok")
    }

    @Test func theInitialiserRefuses() {
        var settings = ConnectionSettings()
        settings.unixSocketPath = "/run/a"
        #expect(throws: UnsupportedSetting.self) { try SessionTransport(connecting: settings) }
    }

    @Test func onLinuxNamesWhatCan() throws {
        let other = "use CurlTransport or AHCTransport"
        for authorities in [TLSSettings.Authorities.only(file), .systemAnd(file)] {
            #expect(
                refusal(on: .linux) { $0.tls.authorities = authorities }
                    == "tls.authorities: URLSession on Linux trusts those of the system: \(other)")
        }
        for verification in [TLSSettings.Verification.authorityOnly, .none] {
            #expect(
                refusal(on: .linux) { $0.tls.verification = verification }
                    == "tls.verification: URLSession on Linux checks a certificate fully: \(other)")
        }
        for certificate in [
            TLSSettings.ClientCertificate(chain: file, privateKey: file),
            .init(pkcs12: file, password: "a"),
        ] {
            #expect(
                refusal(on: .linux) { $0.tls.clientCertificate = certificate }
                    == "tls.clientCertificate: URLSession on Linux shows no certificate: \(other)")
        }
        #expect(
            refusal(on: .linux) { $0.tls.pinnedKeys = [SampleCertificate.ec.pin] }
                == "tls.pinnedKeys: URLSession on Linux shows no server's key: \(other)")
        #expect(
            refusal(on: .linux) { $0.tls.minimumVersion = .tls13 }
                == "tls.minimumVersion: URLSession on Linux has no setting for it: \(other)")
    }

    @Test func onApplesSystemsTLSIsKept() {
        for system in apples {
            let refusals = [
                refusal(on: system) { $0.tls.authorities = .only(file) },
                refusal(on: system) { $0.tls.authorities = .systemAnd(file) },
                refusal(on: system) { $0.tls.verification = .authorityOnly },
                refusal(on: system) { $0.tls.verification = .none },
                refusal(on: system) { $0.tls.minimumVersion = .tls13 },
                refusal(on: system) { $0.tls.pinnedKeys = [SampleCertificate.ec.pin] },
                refusal(on: system) {
                    $0.tls.clientCertificate = .init(pkcs12: file, password: "a")
                },
            ]
            #expect(refusals.allSatisfy { $0 == nil })
        }
    }

    @Test func onApplesSystemsAPrivateKeyIsNotReadFromPEM() {
        for system in apples {
            #expect(
                refusal(on: system) {
                    $0.tls.clientCertificate = .init(chain: file, privateKey: file)
                }
                    == "tls.clientCertificate: Apple's systems read no private key in PEM: use"
                    + " ClientCertificate(pkcs12:password:) with a file of `openssl pkcs12 -export`"
            )
        }
    }

    /// CurlTransport and AHCTransport are not there for iOS.
    @Test func namesNoTransportThatTheSystemDoesNotHave() {
        for (system, other) in [
            (URLSessionSystem.linux, "use CurlTransport or AHCTransport"),
            (.macOS, "use CurlTransport or AHCTransport"),
            (.iOS, "no transport on this system can"),
        ] {
            #expect(
                refusal(on: system) { $0.unixSocketPath = "/run/a" }
                    == "unixSocketPath: URLSession knows no Unix domain sockets: \(other)")
            #expect(
                refusal(on: system) { $0.addresses = ["a": ["127.0.0.1"]] }
                    == "addresses: URLSession looks every name up: \(other)")
        }
    }

    @Test func choosesTheVersionItself() {
        let words = "versions: URLSession chooses the version of HTTP itself: use .automatic"
        for system in [URLSessionSystem.linux, .macOS] {
            #expect(
                refusal(on: system) { $0.versions = .http1 }
                    == "\(words), or CurlTransport or AHCTransport")
            #expect(
                refusal(on: system) { $0.versions = .http2 } == "\(words), or CurlTransport")
        }
        for versions in [ConnectionSettings.Versions.http1, .http2] {
            #expect(refusal(on: .iOS) { $0.versions = versions } == words)
        }
        #expect(
            refusal(on: .linux) { $0.versions = .http3 } == "\(words), or CurlTransport")
        for system in apples { #expect(refusal(on: system) { $0.versions = .http3 } == nil) }
    }

    @Test func hasNoSettingsForAges() {
        let changes: [String: (inout ConnectionSettings) -> Void] = [
            "addressLifetime": { $0.addressLifetime = .seconds(60) },
            "maxConnectionAge": { $0.maxConnectionAge = .seconds(60) },
        ]
        for (name, change) in changes {
            let words = "\(name): URLSession has no setting for it: "
            #expect(refusal(on: .linux, change) == words + "use CurlTransport")
            #expect(refusal(on: .iOS, change) == words + "no transport on this system can")
        }
    }

    @Test func onlyApplesSystemsChooseNetworks() {
        let changes: [String: (inout ConnectionSettings) -> Void] = [
            "waitsForConnectivity": { $0.waitsForConnectivity = true },
            "allowsExpensiveNetworks": { $0.allowsExpensiveNetworks = false },
            "allowsConstrainedNetworks": { $0.allowsConstrainedNetworks = false },
        ]
        for (name, change) in changes {
            #expect(
                refusal(on: .linux, change)
                    == "\(name): URLSession on Linux does not choose between networks:"
                    + " SessionTransport does on Apple's systems")
            for system in apples { #expect(refusal(on: system, change) == nil) }
        }
    }

    #if canImport(FoundationNetworking)
    @Test func onLinuxTheProxyIsTheEnvironments() throws {
        let url = try #require(URL(string: "http://a:1"))
        #expect(
            refusal { $0.proxy = .server(url) }
                == "proxy: URLSession on Linux goes by no proxy but the environment's: use CurlTransport or"
                + " AHCTransport")
        for environment in [["https_proxy": "http://a"], ["ALL_PROXY": "a"]] {
            #expect(
                refusal(in: environment) { $0.proxy = .none }
                    == "proxy: URLSession on Linux goes by the proxy that the environment names: use"
                    + " CurlTransport or AHCTransport")
        }
        for environment in [[:], ["HTTP_PROXY": "http://a"], ["http_proxy": ""]] {
            #expect(refusal(in: environment) { $0.proxy = .none } == nil)
        }
    }

    /// In a process of its own, whose environment no other test reads.
    @Test func onLinuxGoesByTheProxyOfTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { .text("\($0.target) by the proxy") }
            setenv("http_proxy", proxy.url.absoluteString, 1)
            setenv("no_proxy", "127.0.0.1", 1)
            let server = try LoopbackServer { .text("\($0.target) by itself") }
            let transport = try SessionTransport(
                .init(idleTimeout: nil), connecting: ConnectionSettings())
            let text = { (text: String) in
                let url = try #require(URL(string: text))
                return try await transport.send(HTTPRequest(.get, url)).soon.text
            }
            let far = try await text("http://example.invalid/a?b")
            let near = try await text("\(server.url)/c")
            guard far == "http://example.invalid/a?b by the proxy", near == "/c by itself" else {
                exit(1)
            }
        }
    }
    #endif
}
