import Foundation
import PledgeHTTPNetworking
import Testing

struct ProxyChoiceTests {
    private func hosts(_ environment: [String: String]) -> [String?] {
        let choice = ProxyChoice(.environment, in: environment)
        return [choice.http?.host, choice.https?.host]
    }

    @Test func readsTheVariablesOfEachScheme() {
        #expect(hosts([:]) == [nil, nil])
        #expect(hosts(["http_proxy": "a"]) == ["a", nil])
        #expect(hosts(["https_proxy": "a"]) == [nil, "a"])
        #expect(hosts(["HTTPS_PROXY": "a"]) == [nil, "a"])
        #expect(hosts(["https_proxy": "a", "HTTPS_PROXY": "b"]) == [nil, "a"])
        #expect(hosts(["all_proxy": "a", "ALL_PROXY": "b"]) == ["a", "a"])
        #expect(hosts(["ALL_PROXY": "b", "http_proxy": "a"]) == ["a", "b"])
    }

    @Test func aHeaderOfCGIIsNoProxy() { #expect(hosts(["HTTP_PROXY": "a"]) == [nil, nil]) }

    @Test func anEmptyVariableIsNone() {
        #expect(hosts(["http_proxy": "", "https_proxy": "", "HTTPS_PROXY": "b"]) == [nil, "b"])
        #expect(ProxyChoice(.environment, in: ["all_proxy": ""]).isNone)
    }

    @Test(arguments: [
        ("a", "http", "a", 1_080), ("a:3128", "http", "a", 3_128),
        ("HTTP://a:1/", "http", "a", 1), ("socks5h://u:p@[::1]:9", "socks5h", "::1", 9),
    ])
    func readsAServer(text: String, scheme: String, host: String, port: Int) throws {
        let choice = ProxyChoice(.environment, in: ["all_proxy": text])
        let server = try #require(choice.https)
        #expect((server.scheme, server.host, server.port) == (scheme, host, port))
    }

    @Test func takesTheUserOutOfAVariable() throws {
        let choice = ProxyChoice(.environment, in: ["http_proxy": "me:s%40cret@a:1"])
        #expect(choice.http?.user == "me")
        #expect(choice.http?.password == "s@cret")
        #expect(choice.http?.url == "http://a:1")
    }

    @Test func whatIsNoURLIsAProxyThatNobodyTakes() {
        let choice = ProxyChoice(.environment, in: ["http_proxy": "http://[x"])
        #expect(choice.http?.scheme == "" && choice.http?.host == "")
    }

    @Test func readsWhoIsExcepted() {
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
