import CPledgeCurl
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// Settings that a libcurl cannot apply are reported when a transport is made.
@Suite(.oneAtATime) struct ConnectionSettingsCheckTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// The error of a libcurl with some features for settings; nil if it can apply them.
    private func refusal(
        features: UInt32 = .max, _ adjust: (inout ConnectionSettings) throws -> Void
    ) rethrows -> UnsupportedSetting? {
        var settings = ConnectionSettings()
        try adjust(&settings)
        let library = CurlLibrary(
            version: "9.9.9", tlsLibrary: "Test/1", features: features, mayReuseHandles: true)
        do throws(UnsupportedSetting) {
            _ = try CurlOptions(
                CurlTransport.Configuration(), settings, library, on: ManualScheduler())
            return nil
        } catch {
            return error
        }
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func theDefaultNeedsNothing() { #expect(refusal(features: 0) { _ in } == nil) }

    @Test func versionsNeedAFeature() {
        #expect(
            refusal(features: 0) { $0.versions = .http2 }
                == UnsupportedSetting(
                    "versions", "libcurl 9.9.9 here speaks no HTTP/2: use .automatic"))
        #expect(
            refusal(features: 0) { $0.versions = .http3 }
                == UnsupportedSetting(
                    "versions", "libcurl 9.9.9 here speaks no HTTP/3: use .automatic"))
        #expect(refusal(features: 0) { $0.versions = .http1 } == nil)
        #expect(refusal { $0.versions = .http2 } == nil)
    }

    /// Where no feature tells, libcurl is asked for each setting when a transport is made.
    @Test func whatLibcurlDoesNotTakeIsRefused() throws {
        let words =
            "libcurl 9.9.9 with Test/1 here does not take it: use another libcurl, or AHCTransport"
        let empty = try folder.file("empty.pem", Data())
        let authorities = refusal { $0.tls.authorities = .only(empty) }
        #expect(authorities == UnsupportedSetting("tls.authorities", words))
        // libcurl takes no text of more than 8,000,000 bytes.
        let long = String(repeating: "a", count: 8_000_001)
        let file = try folder.file("own.pem", Data("x".utf8))
        let certificate = refusal {
            $0.tls.clientCertificate = .init(chain: file, privateKey: file, password: long)
        }
        #expect(certificate == UnsupportedSetting("tls.clientCertificate", words))
        let proxy = try refusal { $0.proxy = .server(try url("http://a:1"), user: long) }
        #expect(proxy == UnsupportedSetting("proxy", words))
    }

    @Test func whatLibcurlDoesNotTakeOfARequestIsNotLeftOut() async throws {
        let url = try url("http://127.0.0.1:9/\(String(repeating: "a", count: 8_000_000))")
        let error = try await CurlTransport.patient.get(url).httpError
        #expect(error.code == .unsupported && error.advisedOutcome == .callersMistake)
        #expect(error.reason?.hasSuffix("(libcurl 43)") == true)
    }

    @Test func aLibraryWithoutHTTP3RefusesItWhenATransportIsMade() throws {
        let library = try CurlLibrary.lookUp()
        guard !library.has(ccurl_feature_http3) else { return }
        var settings = ConnectionSettings()
        settings.versions = .http3
        let error = #expect(throws: UnsupportedSetting.self) {
            try CurlTransport(connecting: settings)
        }
        let words = "libcurl \(library.version) here speaks no HTTP/3: use .automatic"
        #expect(error == UnsupportedSetting("versions", words))
        #expect(error?.description == "versions: \(words)")
    }

    @Test func unixSocketsNeedAFeatureAndAPathThatFits() {
        #expect(
            refusal(features: 0) { $0.unixSocketPath = "/run/a" }
                == UnsupportedSetting(
                    "unixSocketPath", "libcurl 9.9.9 here knows no Unix domain sockets"))
        for path in ["", String(repeating: "a", count: 104), String(repeating: "é", count: 52)] {
            #expect(
                refusal { $0.unixSocketPath = path }
                    == UnsupportedSetting("unixSocketPath", "a path has 1 to 103 bytes"))
        }
        #expect(refusal { $0.unixSocketPath = String(repeating: "a", count: 103) } == nil)
    }

    @Test(arguments: ["ftp://a", "a:8080", "//a", "sock://a"])
    func aProxyHasASchemeOfItsKind(text: String) throws {
        let error = try refusal { $0.proxy = .server(try url(text)) }
        #expect(
            error
                == UnsupportedSetting("proxy", "its URL begins with http, https, socks5 or socks5h")
        )
    }

    @Test(arguments: ["http", "HTTP", "https", "socks4", "socks4a", "socks5", "socks5h"])
    func aProxyMayHaveAnyOfItsSchemes(scheme: String) throws {
        #expect(try refusal { $0.proxy = .server(try url("\(scheme)://a:1")) } == nil)
    }

    @Test func aProxyOverTLSNeedsAFeature() throws {
        #expect(
            try refusal(features: 0) { $0.proxy = .server(try url("https://a:1")) }
                == UnsupportedSetting(
                    "proxy", "libcurl 9.9.9 here speaks no TLS to a proxy: use http"))
    }

    @Test func networksAreNotChosen() {
        for (name, change) in [
            ("waitsForConnectivity", { $0.waitsForConnectivity = true }),
            ("allowsExpensiveNetworks", { $0.allowsExpensiveNetworks = false }),
            ("allowsConstrainedNetworks", { $0.allowsConstrainedNetworks = false }),
        ] as [(String, (inout ConnectionSettings) -> Void)] {
            #expect(
                refusal(change)
                    == UnsupportedSetting(
                        name,
                        "libcurl does not choose between networks: SessionTransport does on Apple's"
                            + " systems"))
        }
    }

    @Test func timesAreNotNegative() {
        for (name, change) in [
            ("addressLifetime", { $0.addressLifetime = .seconds(-1) }),
            ("maxConnectionAge", { $0.maxConnectionAge = .seconds(-1) }),
        ] as [(String, (inout ConnectionSettings) -> Void)] {
            #expect(refusal(change) == UnsupportedSetting(name, "a time is zero or more"))
        }
    }

    @Test func filesMustBeThere() throws {
        let missing = try folder.file("missing.pem")
        let present = try folder.file("present.pem", Data("x".utf8))
        let words = "the file \(missing.path) cannot be read"
        for authorities in [TLSSettings.Authorities.only(missing), .systemAnd(missing)] {
            #expect(
                refusal { $0.tls.authorities = authorities }
                    == UnsupportedSetting("tls.authorities", words))
        }
        for (chain, key) in [(missing, present), (present, missing)] {
            #expect(
                refusal { $0.tls.clientCertificate = .init(chain: chain, privateKey: key) }
                    == UnsupportedSetting("tls.clientCertificate", words))
        }
        #expect(
            refusal {
                $0.tls.authorities = .only(present)
                $0.tls.clientCertificate = .init(chain: present, privateKey: present)
            } == nil)
    }

    @Test func theSystemsAuthoritiesComeBeforeOurOwn() throws {
        let own = try folder.file("own.pem", Data("our own".utf8))
        var settings = TLSSettings()
        #expect(try settings.readAuthorities() == nil)
        settings.authorities = .only(own)
        #expect(try settings.readAuthorities() == Data("our own".utf8))
        settings.authorities = .systemAnd(own)
        let both = try #require(try settings.readAuthorities())
        #expect(both.suffix(8) == Data("\nour own".utf8))
        #expect(both.count > 8)
    }
}
