// snippet: imports
import Foundation
import Pledge
// end snippet
// snippet: test-imports
import PledgeTesting
// end snippet
import TestSupport
import Testing

/// The code of Docs/Guides/HTTPClient.md.
@Suite(.oneAtATime) struct HTTPClientExamples {
    // snippet: product
    struct Product: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    // snippet: server
    let server = URL(string: "https://api.example.com/v1")!
    // end snippet

    /// Answers everything, and a renewal with a token.
    private let transport = MemoryTransport(routes: [
        .post("/v1/token", answer: .text(#"{"access_token": "new"}"#)),
        .any("/v1/:name", answer: .text("ok")), .any("/", answer: .text("ok")),
        .any("/v1/products/:id", answer: .json(Product(id: 7, name: "pen"))),
    ])

    /// The client over the transport of these examples.
    private func HTTPClient(base: URL) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: transport)
    }

    private func HTTPClient(
        base: URL, over transport: some HTTPTransport
    ) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: transport)
    }

    private let products = MemoryTransport(routes: [
        .any("/v1/products/:id", answer: .text(#"{"id": 7, "name": "pen"}"#)),
        .get("/v1/products", answer: .text(#"[{"id": 7, "name": "tea"}]"#)),
        .post("/v1/products", answer: .status(201)),
    ])

    @Test func first() async throws {
        let transport = products
        func HTTPClient(base: URL) -> PledgeHTTPClients.HTTPClient {
            PledgeHTTPClients.HTTPClient(base: base, over: transport)
        }
        // snippet: first
        let client = HTTPClient(base: server)
        let product: Product = try await client.get("/products/7")
        // end snippet
        #expect(product.name == "pen")
    }

    @Test func calls() async throws {
        let client = HTTPClient(base: server, over: products)
        // snippet: calls
        let id = 7
        let product: Product = try await client.get("/products/\(id)")
        let found: [Product] = try await client.get(
            "/products", query: ["q": "tea & milk", "page": 2])
        let response = try await client.post("/products", json: product)
        try await client.delete("/products/\(id)")
        // end snippet
        #expect(product.name == "pen" && found.map(\.name) == ["tea"] && response.status == 201)
        // snippet: futures
        let loading = client.futures.get("/products/\(id)", as: Product.self)
        let name = loading.flatMap { product in
            client.futures.get("/products/\(product.id + 1)", as: Product.self)
        }.map { product in product.name }
        // end snippet
        #expect(try await name.value == "pen")
        // snippet: wrapper
        @Sendable func load(_ path: Endpoint.Path) async throws -> Product {
            try await client.get(path)
        }
        _ = try await load("/products/\(id)")
        // end snippet
        let sent = products.calls.compactMap(\.request).map(\.url.absoluteString)
        #expect(sent[1] == "https://api.example.com/v1/products?q=tea%20%26%20milk&page=2")
        #expect(sent.contains("https://api.example.com/v1/products/8"))
    }

    @Test func statuses() async throws {
        let client = HTTPClient(
            base: server,
            over: MemoryTransport(routes: [.any("/v1/products/8", answer: .status(404))]))
        // snippet: statuses
        do {
            let product: Product = try await client.get("/products/8")
            print(product)
        } catch let error as HTTPError where error.status == 404 {
            print("No such product.", error.retryAfter as Any)
        }
        // end snippet
        // snippet: accepted
        var lenient = client
        lenient.acceptedStatuses = 200...404  // nil: every status
        let answer = try await lenient.get("/products/8")
        // end snippet
        #expect(answer.status == 404)
    }

    @Test func json() async throws {
        let transport = MemoryTransport(routes: [
            .post("/v1/visits", answer: .text(#"{"at":"2026-11-27T12:00:00Z"}"#))
        ])
        let client = HTTPClient(base: server, over: transport)
        // snippet: iso
        struct Visit: Codable, Sendable {
            var at: Date
        }

        var dated = client
        dated.json = .iso8601  // with keys in snake case: .iso8601.snakeCase
        let visit: Visit = try await dated.post("/visits", json: Visit(at: .now))
        // end snippet
        #expect(visit.at.timeIntervalSince1970 == 1_795_780_800)
        let sent = String(decoding: transport.calls[0].request?.body.data ?? Data(), as: UTF8.self)
        #expect(sent.hasSuffix("Z\"}"))
    }

    @Test func lower() async throws {
        let client = HTTPClient(base: server, over: products)
        // snippet: lower
        let search = Endpoint(path: "/products?q=\("tea")")
        let whole = try await client.send(search)
        print(whole.status, whole.headers["Link"] as Any, whole.link("next") as Any)

        let streamed = try await client.stream(search)
        for try await chunk in streamed.body { print(chunk.count) }
        // end snippet
        #expect(whole.status == 200)
    }

    @Test func real() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: stored
        let storedToken = AccessToken("old", refreshToken: "r")
        let store = { @Sendable (token: AccessToken?) in
            print("keep a token: \(token != nil)")
        }
        // end snippet
        // snippet: real
        let signIn = HTTPClient(base: server)
        let refresher = TokenRefresher(storedToken, onChange: store) { token in
            try await signIn.post(
                "/token",
                form: ["grant_type": "refresh_token", "refresh_token": token.refreshToken])
        }
        var shop = HTTPClient(base: server)
        shop.authorization = .bearer(from: refresher)
        shop.cookies = CookieJar()
        shop.cache = HTTPCache()
        shop.retry?.attempts = 4
        shop.retryBudget = .perOrigin(RetryBudget(capacity: 100))
        shop.attemptTimeout = .seconds(5)
        shop.deadline = .seconds(20)
        shop.log = .init { line in print(line) }
        // end snippet
        // snippet: copy
        var patient = shop
        // It has the same cache, jar and refresher, which are objects in slots, and the same budgets and breakers.
        patient.deadline = .seconds(120)
        // end snippet
        #expect(try patient.networking(Endpoint(path: "/me")).settledValue() == Data("ok".utf8))
        #expect(transport.calls.last?.request?.headers["Authorization"] == "Bearer old")
        #expect(lines.lines.count == 1)
        #expect(try await refresher.refresh().value.value == "new")
        #expect(lines.lines.last == "keep a token: true")
    }

    @Test func elsewhere() {
        // snippet: elsewhere
        let transport = MemoryTransport(routes: [
            .get("/v1/me", answer: .text("Joanna")), .get("/", answer: .text("hello")),
        ])
        var keyed = HTTPClient(base: server, over: transport)
        keyed.headers = ["X-API-Key": "s3cret"]
        keyed.authorization = .bearer("t0ken")

        let elsewhere = HTTPRequest(URL(string: "https://elsewhere.example/")!)
        _ = keyed.futures.send(HTTPRequest(server.appending(path: "me")))  // has both
        _ = keyed.futures.send(elsewhere)  // has neither
        // end snippet
        let sent = transport.calls.compactMap(\.request)
        #expect(sent.map { $0.headers["X-API-Key"] } == ["s3cret", nil])
        #expect(sent.map { $0.headers["Authorization"] } == ["Bearer t0ken", nil])
    }

    @Test func own() async throws {
        // snippet: own
        actor Signer {
            func sign(_ request: HTTPRequest) -> String {
                "signed \(request.method) \(request.url.path)"
            }
        }

        let signer = Signer()
        var signed = HTTPClient(base: server, over: transport)
        signed.aroundExchange = .init { request, next in
            var request = request
            request.headers["X-Signature"] = await signer.sign(request)
            return try await next(request)
        }
        // end snippet
        try await signed.get("/me")
        let sent = transport.calls.last?.request?.headers["X-Signature"]
        #expect(sent == "signed GET /v1/me")
    }

    @Test func session() async throws {
        // snippet: session
        let session = SessionTransport(session: .shared)
        let sharing = HTTPClient(base: server, over: session)
        // end snippet
        let loopback = try LoopbackServer { .text($0.headers["Cookie"] ?? "nothing") }
        // The shared cookies are those of every test; no other one asks this host.
        var place = try #require(URLComponents(url: loopback.url, resolvingAgainstBaseURL: false))
        (place.host, place.path) = ("localhost", "/appSession")
        let mine = try #require(place.url)
        let cookie = try #require(
            HTTPCookie(properties: [
                .name: "app", .value: "7", .domain: mine.host() ?? "", .path: "/appSession",
            ]))
        HTTPCookieStorage.shared.setCookie(cookie)
        defer { HTTPCookieStorage.shared.deleteCookie(cookie) }
        #expect(try await sharing.send(HTTPRequest(mine)).text == "app=7")
        #expect(
            try await PledgeHTTPClients.HTTPClient(base: nil).send(HTTPRequest(mine)).text
                == "nothing")
    }

    @Test func test() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: test
        let scheduler = ManualScheduler()
        let flaky = MemoryTransport(routes: [
            .get(
                "/v1/products/7",
                answer: .sequence([.status(503), .json(Product(id: 7, name: "pen"))]))
        ])
        var tested = HTTPClient(base: server, over: flaky)
        tested.scheduler = scheduler
        let loading: Future<Product> = tested.networking(Endpoint(path: "/products/7")).decoded()
        scheduler.advance(by: .seconds(1))
        print("\(try loading.settledValue().name) after \(flaky.calls.count) calls")
        // end snippet
        #expect(lines.lines == ["pen after 2 calls"])
    }

    @Test func name() {
        // snippet: name
        typealias Client = Pledge.HTTPClient
        let named = Client(base: server)
        // end snippet
        #expect("\(named)" == "HTTPClient(https://api.example.com:443)")
    }
}

/// The code of Docs/Guides/TheWholeStack.md.
@Suite(.oneAtATime) struct WholeStackExamples {
    @Test func aStackOfLevels() async throws {
        // snippet: levels
        let transport = MemoryTransport(routes: [.get("/products", answer: .text("iPad"))])
        let shop = HTTPStack(
            call: [.deadline(.seconds(10)), .acceptStatus(), .redirect()],
            hop: [.cache(HTTPCache()), .bulkhead(), .retry(Retry(attempts: 4))],
            attempt: [.circuitBreaker(), .timeout(.seconds(2))],
            exchange: [.decompress()])
        let send = shop.send(over: transport)
        let request = HTTPRequest(URL(string: "https://shop.example.com/products")!)
        let response = try await send(request).value
        // end snippet
        #expect(response.text == "iPad")
        #expect(shop.problems == [])
    }

    @Test func problemsOfAnOrder() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add("\($0)") }
        // snippet: problems
        let parts: [Middleware<HTTPRequest, HTTPResponse>] = [
            .circuitBreaker(), .retry(), .idempotencyKey(), .timeout(.seconds(2)),
        ]
        for problem in Middleware(stacking: parts).problems { print(problem) }
        // end snippet
        #expect(
            lines.lines == [
                "circuitBreaker above retry: if every attempt fails, the breaker counts only one"
                    + " failure, so it opens late.",
                "retry above idempotencyKey: each attempt has its own key, so the server cannot"
                    + " tell that the second repeats the first.",
            ])
    }
}
