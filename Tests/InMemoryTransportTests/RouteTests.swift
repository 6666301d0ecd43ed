import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeInMemoryTransport
import Testing

@Suite struct RouteMatchTests {
    private typealias Route = MemoryTransport.Route

    /// The parameters that a route reads from an endpoint; nil if it does not match.
    private func parameters(_ route: Route, _ endpoint: Endpoint) -> [String: String]? {
        let transport = MemoryTransport(routes: [route])
        guard case .success = transport.request(endpoint).result else { return nil }
        return transport.calls.last?.parameters
    }

    @Test(
        arguments: [
            ("/products/:id", "/products/7", ["id": "7"]),
            ("products/:id", "/products/7", ["id": "7"]),
            ("/products/:id", "products/7", ["id": "7"]),
            ("/products/:id", "/products/a b?c#d", ["id": "a b?c#d"]),
            ("/products/:id", "/products/%41", ["id": "%41"]),
            ("/:a/:b", "/ä/👩‍👩‍👧", ["a": "ä", "b": "👩‍👩‍👧"]),
            ("/", "/", [:]), ("", "/", [:]), ("/", "", [:]), ("/a/", "/a/", [:]),
            ("/a b/%", "/a b/%", [:]),
            ("/:", "/:", [:]), ("/:id/x", "/\r\n+/x", ["id": "\r\n+"]), ("//a", "//a", [:]),
            ("/:id", "/:id", ["id": ":id"]),
        ] as [(String, String, [String: String])]
    )
    func itMatches(pattern: String, path: String, expected: [String: String]) {
        #expect(parameters(.get(pattern, answer: .text("")), Endpoint(path: path)) == expected)
    }

    @Test(arguments: [
        ("/products/:id", "/products"), ("/products/:id", "/products/"),
        ("/products/:id", "/products/7/"),
        ("/products/:id", "/Products/7"), ("/a", "/a/"), ("/a/", "/a"), ("/", "/a"), ("/a", "//a"),
        ("/\u{E9}", "/e\u{301}"), ("/a b", "/a%20b"), ("/:a/:b", "/a"), ("/:", "/x"),
    ])
    func itDoesNotMatch(pattern: String, path: String) {
        #expect(parameters(.get(pattern, answer: .text("")), Endpoint(path: path)) == nil)
    }

    @Test func theMethodMustBeTheSame() {
        let makers: [(String, [String: String?], MemoryTransport.Answer) -> Route] = [
            Route.get, Route.head, Route.post, Route.put, Route.patch, Route.delete,
        ]
        let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, "PURGE"]
        for (index, make) in makers.enumerated() {
            let matching = methods.filter { method in
                parameters(make("/x", [:], .text("")), Endpoint(path: "/x", method: method)) != nil
            }
            #expect(matching == [methods[index]])
        }
        for method in methods {
            let endpoint = Endpoint(path: "/x", method: method)
            #expect(parameters(.any("/x", answer: .text("")), endpoint) != nil)
            let isPurged = parameters(.init("PURGE", "/x", answer: .text("")), endpoint) != nil
            #expect(isPurged == (method == "PURGE"))
        }
    }

    @Test func theQueryMustHoldWhatIsAskedFor() {
        let route = Route.get("/s", query: ["q": "a b&+", "page": nil], answer: .text(""))
        func matches(_ items: (String, String?)...) -> Bool {
            let items = items.map { URLQueryItem(name: $0.0, value: $0.1) }
            return parameters(route, Endpoint(path: "/s", query: .init(items))) != nil
        }
        #expect(matches(("q", "a b&+"), ("page", "2")))
        #expect(matches(("page", nil), ("q", "other"), ("more", "x"), ("q", "a b&+")))
        #expect(!matches(("q", "a b&+")))
        #expect(!matches(("page", "2")))
        #expect(!matches(("q", "A b&+"), ("page", "2")))
        #expect(!matches(("q", nil), ("page", "2")))
        #expect(!matches(("Q", "a b&+"), ("page", "2")))
    }

    @Test func aBareNameIsAnEmptyValue() {
        let route = Route.get("/s", query: ["flag": ""], answer: .text(""))
        for value in [nil, ""] as [String?] {
            let endpoint = Endpoint(path: "/s", query: .init([.init(name: "flag", value: value)]))
            #expect(parameters(route, endpoint) != nil)
        }
    }

    @Test func aBaseIsNoPartOfThePathUnlessItIsAllThereIs() {
        let base = URL(string: "https://h/v1/")
        let route = Route.get("/products/:id", query: ["k": "a+b"], answer: .text(""))
        let item = URLQueryItem(name: "k", value: "a+b")
        #expect(
            parameters(route, Endpoint(path: "/products/7", query: .init([item]), base: base)) == [
                "id": "7"
            ]
        )
        #expect(
            parameters(
                route,
                Endpoint(path: "/7", query: .init([item]), base: URL(string: "https://h/products"))
            ) == nil
        )
        let whole = "https://h/products/a%2Fb%20c?k=a%2Bb"
        #expect(parameters(route, Endpoint(url: URL(string: whole)!)) == ["id": "a/b c"])
        #expect(parameters(route, Endpoint(path: whole)) == nil)
    }

    @Test func aQueryInThePathIsSeenAsItemsAre() {
        let route = Route.get("/s/:id", query: ["q": "a b&+", "page": "2"], answer: .text(""))
        let term = "a b&+", items = [("q", term), ("page", "2")].map(URLQueryItem.init)
        for base in [nil, URL(string: "https://h/v1")] {
            let literal = Endpoint(path: "/s/\("x/y")?q=\(term)&page=\(2)", base: base)
            #expect(parameters(route, literal) == ["id": "x/y"])
            let text = Endpoint(path: "/s/\("x/y")", query: .init(items), base: base)
            #expect(literal == text && parameters(route, text) == ["id": "x/y"])
            #expect(parameters(route, Endpoint(path: "/s/1?q=\(term)", base: base)) == nil)
        }
    }

    @Test func theFirstRouteThatMatchesAnswers() throws {
        let transport = MemoryTransport(routes: [
            .get("/a/b", answer: .text("1")), .get("/a/:x", answer: .text("2")),
            .get("/:x/b", answer: .text("3")), .any("/:x/:y", answer: .text("4")),
        ])
        let answers = try ["/a/b", "/a/c", "/c/b", "/c/d"].map { path in
            String(
                decoding: try #require(try transport.request(Endpoint(path: path)).result?.get()),
                as: UTF8.self
            )
        }
        #expect(answers == ["1", "2", "3", "4"])
    }

    @Test func aRouteIsDescribedInOneLine() {
        #expect(
            Route.get("/s/:id", query: ["q": nil, "a": "1"], answer: .text("")).name
                == "GET /s/:id?a=1&q=*"
        )
        #expect(Route.any("s", answer: .text("")).name == "* /s")
    }
}
