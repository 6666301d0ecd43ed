import Foundation
import HTTPTestSupport
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeServices
import Testing

@Suite struct EndpointTests {
    private let server = URL(string: "https://api.example.com/v1")!

    @Test func onlyThePathMustBeGiven() {
        let endpoint = Endpoint(path: "/products")
        #expect(endpoint.query.items.isEmpty && endpoint.method == .get && endpoint.headers.isEmpty)
        #expect(endpoint.body == .none && endpoint.base == nil)
    }

    @Test func endpointsAreEqualWhereTheyWouldSendTheSame() {
        let item = URLQueryItem(name: "a", value: "1")
        let one = Endpoint(path: "/x", query: .init([item]), headers: ["Accept": "a", "B": "b"])
        let same = Endpoint(path: "/x", query: .init([item]), headers: ["b": "b", "ACCEPT": "a"])
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(Set([one, same]).count == 1)

        var others = Array(repeating: one, count: 7)
        others[0].path = "x"
        others[1].query.items.append(item)
        others[2].method = .head
        others[3].headers["Accept"] = "A"
        others[4].body = .data(Data())
        others[5].base = server
        others[6].query.items[0].value = nil
        #expect(Set(others + [one]).count == 8)
    }

    @Test func composedAndDecomposedLettersAreNotTheSameBytes() {
        #expect(Endpoint(path: "/\u{E9}") != Endpoint(path: "/e\u{301}"))
        let composed = [URLQueryItem(name: "q", value: "\u{E9}")]
        let decomposed = [URLQueryItem(name: "q", value: "e\u{301}")]
        #expect(
            Endpoint(path: "", query: .init(composed))
                != Endpoint(path: "", query: .init(decomposed))
        )
    }

    @Test func basedFillsInWhatIsMissing() {
        let based = Endpoint.based(on: server)
        #expect(based(Endpoint(path: "/x")).url?.absoluteString == "https://api.example.com/v1/x")
        let other = URL(string: "https://other.example")
        #expect(based(Endpoint(path: "/x", base: other)).base == other)
        let whole = URL(string: "https://h/x")!
        #expect(based(Endpoint(url: whole)).url == whole)
    }

    @Test func theBodyBringsItsContentType() throws {
        var endpoint = Endpoint(path: "/", method: .post, body: try .json([1]))
        #expect(endpoint.effectiveHeaders == ["Content-Type": "application/json"])
        endpoint.headers["content-type"] = "application/vnd.x+json"
        #expect(endpoint.effectiveHeaders == ["Content-Type": "application/vnd.x+json"])
        endpoint.body = .none
        endpoint.headers = [:]
        #expect(endpoint.effectiveHeaders.isEmpty)
    }

    @Test func noTextOfAnEndpointShowsASecret() throws {
        let endpoint = Endpoint(
            path: "/login",
            query: .init([.init(name: "key", value: "s3cret"), .init(name: "s3cret", value: nil)]),
            method: .post,
            headers: ["Authorization": "Bearer s3cret", "Accept": "text/plain"],
            body: try .json(["password": "s3cret"]),
            base: URL(string: "https://me:s3cret@h/v1?token=s3cret")
        )
        #expect(endpoint.description == "POST https://…@h/v1/login?token=…&key=…&…")
        for text in texts(of: endpoint) + texts(of: endpoint.body) + texts(of: [endpoint.headers]) {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect(Endpoint(path: "/a b").description == "GET /a%20b")
        #expect(!Endpoint(path: "https://me:s3cret@/x").description.contains("s3cret"))
        #expect(Endpoint(path: "/x", method: "A\r\nB").description == #"A\r\nB /x"#)
    }
}

@Suite struct EndpointURLTests {
    private let host = URL(string: "https://api.example.com")!

    private func text(
        _ path: String,
        _ items: [URLQueryItem] = [],
        base: String = "https://api.example.com"
    ) -> String? {
        Endpoint(path: path, query: .init(items), base: URL(string: base)).url?.absoluteString
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
    func dotSegmentsGiveNoURL(path: String) { #expect(text(path) == nil) }

    @Test(arguments: ["/x", "", "x", "//h/x", "ftp://h/x", "mailto:a@b", "file:///x", "https:/h"])
    func aPathWithoutABaseGivesNoURL(path: String) {
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

@Suite struct EndpointValidateTests {
    private func endpoint(
        headers: HTTPHeaders = [:],
        method: HTTPMethod = .post,
        body: HTTPRequest.Body = .none
    ) -> Endpoint {
        Endpoint(
            path: "/x",
            method: method,
            headers: headers,
            body: body,
            base: URL(string: "http://h")
        )
    }

    @Test func whatCanBeSentGivesTheURL() throws {
        let headers: HTTPHeaders = ["X-!#$%&'*+.^_`|~9": " ä\tb ", "Empty": ""]
        #expect(try endpoint(headers: headers).validate().absoluteString == "http://h/x")
    }

    @Test(arguments: [
        "a\r\nX: y", "a\rb", "a\nb", "a\0b", "a\r\n", "\n", "a\u{1}", "\u{7F}", "\u{1B}[1m",
        "a\u{85}b",
    ])
    func valuesWithControlCharactersAreRefused(value: String) {
        #expect(throws: Endpoint.Error.invalidHeader(name: "A")) {
            try endpoint(headers: ["A": value]).validate()
        }
    }

    @Test(arguments: [
        "", " ", "A B", "A:", "A\r\nB", "A\n", "A\0", "Ä", "A(", "A\"", "A/B", "A\t", "{A}", " A",
        "A\u{301}",
    ])
    func namesThatAreNoTokensAreRefused(name: String) {
        #expect(throws: Endpoint.Error.invalidHeader(name: name)) {
            try endpoint(headers: [name: "v"]).validate()
        }
    }

    @Test func theContentTypeOfTheBodyIsAHeaderToo() {
        let body = HTTPRequest.Body.data(Data([1]), contentType: "text/plain\r\nX: y")
        #expect(throws: Endpoint.Error.invalidHeader(name: "Content-Type")) {
            try endpoint(body: body).validate()
        }
        let named = endpoint(headers: ["content-type": "text/plain"], body: body)
        #expect(throws: Never.self) { try named.validate() }
    }

    @Test(
        arguments: [
            ["Host": "evil", "host": "other"], ["Host": "evil, other"], ["Host": ""],
            ["Host": "a/b"],
            ["Host": "u@h"], ["Host": "h:99999"], ["Connection": "X-A"], ["connection": "close"],
            ["TE": "trailers"], ["Trailer": "X"], ["Upgrade": "h2c"], ["EXPECT": "100-continue"],
            ["Keep-Alive": "timeout=5"], ["Proxy-Connection": "close"],
            ["Proxy-Authorization": "Basic YTpi"],
            ["Transfer-Encoding": "chunked"], ["Content-Length": "5"], ["Content-Length": "+4"],
            ["Content-Length": "4, 4"], ["Content-Length": "4", "content-length": "5"],
        ] as [HTTPHeaders])
    func whatIsTheTransportsToSetIsRefused(headers: HTTPHeaders) throws {
        let endpoint = endpoint(headers: headers, body: .data(Data("body".utf8)))
        let url = try #require(URL(string: "http://h/x"))
        let request = HTTPRequest(.post, url, headers: headers, body: .data(Data("body".utf8)))
        let names = headers.map { Endpoint.Error.reservedHeader(name: $0.name) }

        #expect { try endpoint.validate() } throws: {
            ($0 as? Endpoint.Error).map(names.contains) == true
        }
        #expect { try request.validate() } throws: {
            ($0 as? Endpoint.Error).map(names.contains) == true
        }
    }

    @Test(
        arguments: [
            ["Host": "example.com"], ["host": "[::1]:80"], ["Content-Length": "4"],
            ["Connect": "a"],
            ["Content-Length": "4", "content-length": "4"], ["Text": "a"], ["Forward": "b"],
        ] as [HTTPHeaders])
    func headersThatACallerMaySetAreValid(headers: HTTPHeaders) throws {
        let endpoint = endpoint(headers: headers, body: .data(Data("body".utf8)))
        #expect(throws: Never.self) { try endpoint.validate() }
    }

    @Test func aLengthThatIsKnownOnlyWhenItIsSentIsNotBelieved() throws {
        let url = try #require(URL(string: "http://h/x"))
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(Data([1])) }
        var request = HTTPRequest(
            .post, url, headers: ["Content-Length": "9"], body: .stream(source))
        #expect(throws: Never.self) { try request.validate() }
        #expect(request.effectiveHeaders["Content-Length"] == nil)
        request.headers = ["Content-Length": "nine"]
        #expect(throws: Endpoint.Error.reservedHeader(name: "Content-Length")) {
            try request.validate()
        }
    }

    @Test(arguments: ["", "GE T", "GET\r\nX: y", "GET ", "GÉT"])
    func methodsThatAreNoTokensAreRefused(method: String) {
        #expect(throws: Endpoint.Error.invalidMethod(method)) {
            try endpoint(method: .init(rawValue: method)).validate()
        }
    }

    @Test(arguments: [HTTPMethod.get, .head, .trace])
    func aBodyIsRefusedForMethodsThatCarryNone(method: HTTPMethod) {
        #expect(throws: Endpoint.Error.bodyNotAllowed(method: method)) {
            try endpoint(method: method, body: .data(Data([1]))).validate()
        }
        #expect(throws: Never.self) { try endpoint(method: method, body: .data(Data())).validate() }
    }

    @Test func errorsSayWhatToDoAndShowNoControlCharacters() {
        let errors: [Endpoint.Error] = [
            .invalidURL, .invalidHeader(name: "A\r\n\u{1B}"), .invalidMethod("B\0"),
            .bodyNotAllowed(method: .get), .dotSegment, .emptySegment,
        ]
        let words = ["base", "\"A\\r\\n\\u{1B}\"", "\"B\\0\"", "into the query", "\"..\"", "empty"]
        for (error, word) in zip(errors, words) {
            let text = "\(error)"
            #expect(text.contains(word), "\(text)")
            #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
    }
}

@Suite struct EndpointReplayableTests {
    @Test func theMethodDecidesWhetherAnEndpointIsReplayable() {
        #expect(Endpoint(path: "/a").isReplayable)
        #expect(Endpoint(path: "/a", method: .put, body: .data(Data([1]))).isReplayable)
        #expect(!Endpoint(path: "/a", method: .post).isReplayable)
        #expect(!Endpoint(path: "/a", method: .patch).isReplayable)
    }

    @Test func anIdempotencyKeyMakesAnyMethodReplayable() {
        let headers: HTTPHeaders = ["idempotency-key": "4711"]
        #expect(Endpoint(path: "/a", method: .post, headers: headers).isReplayable)
    }
}
