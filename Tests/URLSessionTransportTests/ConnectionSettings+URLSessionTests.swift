import Foundation
import HTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import URLSessionTransport

/// Settings that URLSession cannot apply are reported when a transport is made.
@Suite(.oneAtATime) struct ConnectionSettingsURLSessionTests {
    private func refusal(
        in environment: [String: String] = [:], _ adjust: (inout ConnectionSettings) throws -> Void
    ) rethrows -> String? {
        var settings = ConnectionSettings()
        try adjust(&settings)
        do throws(UnsupportedSetting) {
            try settings.checkForURLSession(in: environment)
            return nil
        } catch {
            return error.description
        }
    }

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

    @Test func namesWhatCan() throws {
        let other = "use CurlTransport or AHCTransport"
        for authorities in [TLSSettings.Authorities.only(file), .systemAnd(file)] {
            #expect(
                refusal { $0.tls.authorities = authorities }
                    == "tls.authorities: URLSession trusts those of the system: \(other)")
        }
        for verification in [TLSSettings.Verification.authorityOnly, .none] {
            #expect(
                refusal { $0.tls.verification = verification }
                    == "tls.verification: URLSession checks a certificate fully: \(other)")
        }
        #expect(
            refusal { $0.tls.clientCertificate = .init(chain: file, privateKey: file) }
                == "tls.clientCertificate: SessionTransport shows no certificate: \(other)")
        let key = try #require(PinnedKey(sha256: "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="))
        #expect(
            refusal { $0.tls.pinnedKeys = [key] }
                == "tls.pinnedKeys: SessionTransport compares no keys: \(other)")
        #expect(
            refusal { $0.unixSocketPath = "/run/a" }
                == "unixSocketPath: URLSession knows no Unix domain sockets: \(other)")
        #expect(
            refusal { $0.addresses = ["a": ["127.0.0.1"]] }
                == "addresses: URLSession looks every name up: \(other)")
    }

    @Test func choosesTheVersionItself() {
        let words = "versions: URLSession chooses the version of HTTP itself: use .automatic, or"
        #expect(refusal { $0.versions = .http1 } == "\(words) CurlTransport or AHCTransport")
        for version in [ConnectionSettings.Versions.http2, .http3] {
            #expect(refusal { $0.versions = version } == "\(words) CurlTransport")
        }
    }

    #if canImport(FoundationNetworking)
    @Test func onLinuxTheVersionOfTLSIsTheSystems() {
        #expect(
            refusal { $0.tls.minimumVersion = .tls13 }
                == "tls.minimumVersion: URLSession on Linux has no setting for it: use CurlTransport or"
                + " AHCTransport")
    }

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
