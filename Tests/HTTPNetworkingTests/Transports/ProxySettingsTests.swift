import Foundation
import PledgeHTTPTransportKit
import Testing

struct ProxySettingsTests {
    private func server(_ settings: ProxySettings) throws -> ProxySettings.Server {
        guard case .server(let server) = settings.kind else {
            throw CocoaError(.featureUnsupported)
        }
        return server
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func aProxyTakesTheUserOutOfItsURL() throws {
        let settings = ProxySettings.server(try url("http://me:s%40cret@proxy:3128/"))
        let server = try server(settings)
        #expect(server.url == "http://proxy:3128/")
        #expect(server.user == "me")
        #expect(server.password == "s@cret")
        #expect(server.bypassed.isEmpty)
    }

    @Test func aProxyPrefersTheUserSaidBesideItsURL() throws {
        let settings = ProxySettings.server(
            try url("http://me:secret@proxy"), user: "you", password: "other",
            bypassing: ["a", "b"])
        let server = try server(settings)
        #expect(server.user == "you")
        #expect(server.password == "other")
        #expect(server.bypassed == ["a", "b"])
    }

    @Test func aProxyNeverShowsItsUser() throws {
        let all = [
            ProxySettings.server(try url("http://planted-user:planted-secret@proxy:1")),
            .server(try url("http://proxy:1"), user: "planted-user", password: "planted-secret"),
        ]
        for settings in all {
            var dumped = ""
            dump(settings, to: &dumped)
            var settingsOfAll = ConnectionSettings()
            settingsOfAll.proxy = settings
            for text in ["\(settings)", String(reflecting: settings), dumped, "\(settingsOfAll)"] {
                #expect(text.contains("http://proxy:1"))
                #expect(!text.contains("planted"))
            }
        }
    }

    @Test func otherProxySettingsHaveADescription() {
        #expect("\(ProxySettings.environment)" == "the proxy of the environment")
        #expect("\(ProxySettings.none)" == "no proxy")
        #expect(ConnectionSettings().proxy == .environment)
    }

    @Test func aClientCertificateNeverShowsItsPassword() {
        let certificate = TLSSettings.ClientCertificate(
            chain: URL(fileURLWithPath: "/a.pem"), privateKey: URL(fileURLWithPath: "/b.pem"),
            password: "planted-secret")
        var dumped = ""
        dump(certificate, to: &dumped)
        var settings = TLSSettings()
        settings.clientCertificate = certificate
        for text in ["\(certificate)", String(reflecting: certificate), dumped, "\(settings)"] {
            #expect(text.contains("/a.pem"))
            #expect(!text.contains("planted"))
        }
    }
}

struct ProxyChoiceTests {
    private func hosts(_ environment: [String: String]) -> [String?] {
        let choice = ProxyChoice(.environment, in: environment)
        return [choice.http?.host, choice.https?.host]
    }

    @Test func aProxyIsReadFromTheVariablesOfEachScheme() {
        #expect(hosts([:]) == [nil, nil])
        #expect(hosts(["http_proxy": "a"]) == ["a", nil])
        #expect(hosts(["https_proxy": "a"]) == [nil, "a"])
        #expect(hosts(["HTTPS_PROXY": "a"]) == [nil, "a"])
        #expect(hosts(["https_proxy": "a", "HTTPS_PROXY": "b"]) == [nil, "a"])
        #expect(hosts(["all_proxy": "a", "ALL_PROXY": "b"]) == ["a", "a"])
        #expect(hosts(["ALL_PROXY": "b", "http_proxy": "a"]) == ["a", "b"])
    }

    @Test func aHeaderOfCGIIsNoProxy() { #expect(hosts(["HTTP_PROXY": "a"]) == [nil, nil]) }

    @Test func anEmptyVariableIsNoProxy() {
        #expect(hosts(["http_proxy": "", "https_proxy": "", "HTTPS_PROXY": "b"]) == [nil, "b"])
        #expect(ProxyChoice(.environment, in: ["all_proxy": ""]).isNone)
    }

    @Test(arguments: [
        ("a", "http", "a", 1_080), ("a:3128", "http", "a", 3_128),
        ("HTTP://a:1/", "http", "a", 1), ("socks5h://u:p@[::1]:9", "socks5h", "::1", 9),
    ])
    func aProxysServerIsReadFromAVariable(text: String, scheme: String, host: String, port: Int)
        throws
    {
        let choice = ProxyChoice(.environment, in: ["all_proxy": text])
        let server = try #require(choice.https)
        #expect((server.scheme, server.host, server.port) == (scheme, host, port))
    }

    @Test func aProxysUserIsTakenOutOfAVariable() throws {
        let choice = ProxyChoice(.environment, in: ["http_proxy": "me:s%40cret@a:1"])
        #expect(choice.http?.user == "me")
        #expect(choice.http?.password == "s@cret")
        #expect(choice.http?.url == "http://a:1")
    }

    @Test func whatIsNoURLIsAProxyThatNobodyTakes() {
        let choice = ProxyChoice(.environment, in: ["http_proxy": "http://[x"])
        #expect(choice.http?.scheme == "" && choice.http?.host == "")
    }

    @Test func hostsWithoutAProxyAreReadFromAVariable() {
        let both = ["http_proxy": "a", "no_proxy": "b", "NO_PROXY": "c"]
        #expect(ProxyChoice(.environment, in: both).bypass.covers("b"))
        #expect(!ProxyChoice(.environment, in: both).bypass.covers("c"))
        #expect(ProxyChoice(.environment, in: ["NO_PROXY": "c"]).bypass.covers("c"))
    }

    @Test func aChoiceOfOurOwnDoesNotAskTheEnvironment() throws {
        let environment = ["all_proxy": "http://other", "no_proxy": "*"]
        #expect(ProxyChoice(.none, in: environment).isNone)
        let url = try #require(URL(string: "http://own:1"))
        let choice = ProxyChoice(.server(url, bypassing: ["a"]), in: environment)
        #expect(choice.http?.host == "own" && choice.https?.host == "own")
        #expect(choice.bypass.covers("a") && !choice.bypass.covers("b"))
    }
}

/// libcurl has the same result for each list (`curl --noproxy`), unless a test says otherwise.
struct ProxyBypassTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "www.example.com", true),
        ("example.com", "badexample.com", false), (".example.com", "example.com", true),
        ("EXAMPLE.com.", "a.example.com", true), ("example.com", "example.com.", true),
        ("com", "example.com", true), ("", "example.com", false), ("*", "example.com", true),
        ("*", "127.0.0.1", true), ("*.example.com", "a.example.com", false),
        ("a, b example.com", "example.com", true), ("a,*", "example.com", false),
        ("localhost", "127.0.0.1", false),
    ])
    func onlyNamesOfTheListBypassAProxy(list: String, host: String, isCovered: Bool) {
        #expect(ProxyBypass(text: list).covers(host) == isCovered)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.10", false),
        ("0.0.1", "127.0.0.1", false), ("10.0.0.0/8", "10.9.8.7", true),
        ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/8", "10.example.com", false),
        ("192.168.16.0/20", "192.168.31.255", true), ("192.168.16.0/20", "192.168.32.0", false),
        ("10.0.0.0/33", "10.0.0.0", false),
        ("::1", "[::1]", true), ("::1", "[::2]", false), ("fd00::/8", "[fe00::1]", false),
        ("127.0.0.1", "[::1]", false),
    ])
    func onlyAddressesOfTheListBypassAProxy(list: String, host: String, isCovered: Bool) {
        #expect(ProxyBypass(text: list).covers(host) == isCovered)
    }

    /// libcurl 7.88 compares the addresses as texts.
    @Test(arguments: [
        ("[::1]", "[0:0::1]", true), ("fd00::/8", "[fdff::1]", true),
        ("fd00::/x", "[fd00::]", false),
    ])
    func addressesOfVersion6BypassAProxyHoweverTheyAreWritten(
        list: String, host: String, isCovered: Bool
    ) {
        #expect(ProxyBypass(text: list).covers(host) == isCovered)
    }
}
