import Foundation
import PledgeHTTPNetworking
import Testing

@Suite struct EndpointURLTests {
    private let host = URL(string: "https://api.example.com")!

    private func text(
        _ path: String,
        _ items: [URLQueryItem] = [],
        base: String = "https://api.example.com"
    ) -> String? {
        Endpoint(path: path, queryItems: items, base: URL(string: base)).url?.absoluteString
    }

    @Test(arguments: [
        ("/a b", "/a%20b"), ("/50%", "/50%25"), ("/%20", "/%2520"), ("/a?b", "/a%3Fb"),
        ("/a#b", "/a%23b"), ("/a+b", "/a%2Bb"), ("/a;b:c@d,e=f&g!h$i", "/a;b:c@d,e=f&g!h$i"),
        ("/(a)'*~-._", "/(a)'*~-._"), ("/[a]|{b}\\^`\"<>", "/%5Ba%5D%7C%7Bb%7D%5C%5E%60%22%3C%3E"),
        ("/é", "/%C3%A9"), ("/e\u{301}", "/e%CC%81"),
        ("/👩‍👩‍👧", "/%F0%9F%91%A9%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"),
        ("/\u{301}", "/%CC%81"), ("/\r\n\0\t\u{7F}", "/%0D%0A%00%09%7F"), ("/a/b/", "/a/b/"),
        ("a", "/a"), ("a:b", "/a:b"), ("", ""), ("/", "/"),
        ("//evil.example/x", "//evil.example/x"),
        ("/a//b", "/a//b"), ("/a.b/...", "/a.b/..."), ("/proxy/https://h/x", "/proxy/https://h/x"),
        ("http:/x", "/http:/x"), ("mailto:a@b", "/mailto:a@b"),
    ])
    func pathIsEncodedOnce(path: String, encoded: String) {
        #expect(text(path) == "https://api.example.com" + encoded)
        #expect(Endpoint(path: path, base: host).url?.host() == "api.example.com")
    }

    @Test(
        arguments: [
            ([], ""), ([("q", "a b")], "?q=a%20b"),
            (
                [("q", "a+b&c=d#e%f;g/h?i:j@k,l")],
                "?q=a%2Bb%26c%3Dd%23e%25f%3Bg%2Fh%3Fi%3Aj%40k%2Cl"
            ),
            ([("a", nil)], "?a"), ([("a", "")], "?a="), ([("", nil)], "?"), ([("", "x")], "?=x"),
            ([("b", "2"), ("a", "1"), ("b", "1")], "?b=2&a=1&b=1"), ([("k&=", "1")], "?k%26%3D=1"),
            ([("q", "'(*)!~-._$")], "?q=%27%28%2A%29%21~-._%24"),
            ([("😀", "e\u{301}")], "?%F0%9F%98%80=e%CC%81"),
        ] as [([(String, String?)], String)]
    )
    func queryIsEncodedOnce(items: [(String, String?)], encoded: String) {
        let items = items.map { URLQueryItem(name: $0.0, value: $0.1) }
        #expect(text("/s", items) == "https://api.example.com/s" + encoded)
    }

    @Test(arguments: [
        ("https://h/v1", "/x", "https://h/v1/x"), ("https://h/v1/", "/x", "https://h/v1/x"),
        ("https://h/v1/", "x", "https://h/v1/x"), ("https://h/v1", "x", "https://h/v1/x"),
        ("https://h/v1", "", "https://h/v1"), ("https://h/v1", "/", "https://h/v1/"),
        ("https://h", "x", "https://h/x"), ("https://h/", "/x", "https://h/x"),
        ("https://h/a%2Fb%20c", "d e", "https://h/a%2Fb%20c/d%20e"),
        ("https://h/v1?key=1", "/x", "https://h/v1/x?key=1"),
        ("https://h?key=1", "", "https://h?key=1"),
        ("https://h/v1#top", "/x", "https://h/v1/x"),
        ("https://h/v1?#top", "/x", "https://h/v1/x?"),
        ("http://u:p@h:8080/v1", "/x", "http://u:p@h:8080/v1/x"),
        ("https://[::1]:8443/", "x", "https://[::1]:8443/x"),
        ("HTTPS://H/", "x", "https://H/x"), ("https://h:/a", "b", "https://h:/a/b"),
        ("https://[fe80::1%25eth0]", "b", "https://[fe80::1%25eth0]/b"),
        ("https://h:65535", "", "https://h:65535"),
        ("https://h/a/../b", "c", "https://h/a/../b/c"),
        ("https://h/?a=?/b", "c", "https://h/c?a=?/b"),
    ])
    func pathIsAppendedToTheBase(base: String, path: String, whole: String) {
        #expect(text(path, base: base) == whole)
    }

    @Test func queryOfTheBaseComesFirst() {
        let items = [URLQueryItem(name: "a", value: "1")]
        #expect(text("x", items, base: "https://h/v1?key=%2B") == "https://h/v1/x?key=%2B&a=1")
        #expect(text("x", items, base: "https://h/v1?") == "https://h/v1/x?a=1")
    }

    @Test func aRelativeBaseIsResolvedFirst() {
        let base = URL(string: "v1/", relativeTo: host)
        #expect(
            Endpoint(path: "x", base: base).url?.absoluteString == "https://api.example.com/v1/x"
        )
    }

    @Test(arguments: [
        "ftp://h/", "file:///tmp", "mailto:a@b", "v1/x", "/v1", "https:", "https://", "https:///x",
        "http://:80/", "http://u@/", "http://?x", "http://h:65536/",
        "http://h:99999999999999999999/",
        "http:h/x", "http://a%20b/", "data:text/plain,x", "ws://h/", "httpsx://h/", "http://[]/",
        "http://h:0080000000/", "http://b%C3%BC/",
    ])
    func baseThatIsNoAbsoluteHTTPURLGivesNone(base: String) throws {
        let base = try #require(URL(string: base))
        #expect(Endpoint(path: "/x", base: base).url == nil)
        #expect(throws: Endpoint.Error.invalidURL) { try Endpoint(path: "", base: base).validate() }
    }

    @Test(arguments: ["/..", "..", "/a/../b", ".", "/./", "/a/."])
    func dotSegmentsGiveNone(path: String) { #expect(text(path) == nil) }

    @Test(arguments: ["/x", "", "x", "//h/x", "ftp://h/x", "mailto:a@b", "file:///x", "https:/h"])
    func withoutABaseThereIsNone(path: String) {
        #expect(Endpoint(path: path).url == nil)
        #expect(throws: Endpoint.Error.invalidURL) { try Endpoint(path: path).validate() }
    }

    @Test func aWholeURLIsSentAsItIs() throws {
        let url = try #require(URL(string: "https://u:p@h:1/a%2Fb/?x=%20+#f"))
        #expect(Endpoint(url: url).url?.absoluteString == "https://u:p@h:1/a%2Fb/?x=%20+")
    }

    @Test func theSchemeIsInLowerCase() {
        let endpoint = Endpoint(path: "/A", body: nil, base: URL(string: "HTTP://Example.com"))
        #expect(endpoint.url?.absoluteString == "http://Example.com/A")
        #expect(endpoint.body == .none)
    }
}
