#if AsyncHTTPClient
import Foundation
import PledgeHTTPNetworking
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

    @Test func networksAreNotChosen() {
        #expect(
            refusal { $0.waitsForConnectivity = true }
                == "waitsForConnectivity: AsyncHTTPClient does not choose between networks:"
                + " SessionTransport does on Apple's systems")
    }

    @Test func oneOfTheTwoWaysToSetTLSIsLeftAlone() {
        var configuration = AHCTransport.Configuration()
        configuration.tls.minimumVersion = .tls13
        #expect(refusal(configuration) { _ in } == nil)
        #expect(
            refusal(configuration) { $0.tls.minimumVersion = .tls13 }
                == "tls: the configuration's own `tls` is set as well: leave one of them as it is")
    }
}
#endif
