// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeObservation
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Recipes/Requests.md.
@Suite(.oneAtATime)
struct RecipesRequestsExamples {
    // snippet: product
    struct Product: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    // snippet: server
    let server = URL(string: "https://api.example.com")!
    // end snippet

    /// What the recipes print.
    private let lines = ExampleLog()
    private let shop = MemoryTransport(routes: [
        .any("/products/:id", answer: .json(Product(id: 7, name: "pen"))),
        .post("/products", answer: .json(Product(id: 8, name: "ink"))),
        .get("/products", answer: .json([Product(id: 7, name: "pen")])),
        .get("/search", answer: .json([Product(id: 7, name: "pen")])),
        .get("/visits/last", answer: .text(#"{"at":"2026-01-31T12:00:00.5Z"}"#)),
        .get("/users/7", answer: .text(#"{"first_name":"Ada"}"#)),
        .any("/photos/:id", answer: .text("photo")),
        .post("/login", answer: .status(204)),
        .any("/gone", answer: .status(404)),
        .get(
            "/list",
            answer: .respond { call in
                let isLast = call.request?.url.query() == "page=2"
                return HTTPResponse(
                    status: 200, headers: isLast ? [:] : ["Link": "</list?page=2>; rel=\"next\""],
                    body: Data(#"[{"id": 7, "name": "\#(isLast ? "ink" : "pen")"}]"#.utf8))
            }),
        .get(
            "/posts",
            answer: .reply { call in
                let isLast = call.request?.url.query() == "after=c2"
                return Data(
                    (isLast ? #"{"posts":["last"]}"# : #"{"posts":["first"],"next":"c2"}"#).utf8)
            }),
    ])

    private func HTTPClient(base: URL?) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: shop)
    }

    private var client: PledgeHTTPClients.HTTPClient { HTTPClient(base: server) }

    private var print: @Sendable (String) -> Void { { [lines] in lines.add($0) } }

    /// The last request that the shop got.
    private var last: HTTPRequest? { shop.calls.last?.request }

    @Test func get() async throws {
        // snippet: client
        let client = HTTPClient(base: server)
        // end snippet
        // snippet: get
        let id = 7
        let product: Product = try await client.get("/products/\(id)")
        // end snippet
        #expect(product.name == "pen")
    }

    @Test func json() async throws {
        // snippet: json
        let draft = Product(id: 0, name: "ink")
        let product: Product = try await client.post("/products", json: draft)
        // end snippet
        #expect(product.id == 8)
        #expect(shop.calls.last?.endpoint.body.data == Data(#"{"id":0,"name":"ink"}"#.utf8))
        #expect(last?.effectiveHeaders["Content-Type"] == "application/json")
    }

    @Test func delete() async throws {
        // snippet: delete
        try await client.delete("/products/\(7)")
        // end snippet
        #expect(last?.method == .delete)
    }

    @Test func form() async throws {
        // snippet: form
        try await client.post("/login", form: ["user": "joanna", "password": "open sesame"])
        // end snippet
        let sent = shop.calls.last?.endpoint.body.data
        #expect(sent == Data("user=joanna&password=open+sesame".utf8))
    }

    @Test func query() async throws {
        // snippet: query
        let (words, page) = ("50% off & more", 2)
        let found: [Product] = try await client.get("/search", query: ["q": words, "page": page])
        // end snippet
        #expect(found.count == 1)
        #expect(last?.url.query() == "q=50%25%20off%20%26%20more&page=2")
    }

    @Test func bytes() async throws {
        // snippet: bytes
        let photo: Data = try await client.get("/photos/\(7)")
        let text = try await client.get("/photos/\(7)").text
        // end snippet
        #expect(photo == Data("photo".utf8) && text == "photo")
    }

    @Test func response() async throws {
        // snippet: response
        let response = try await client.get("/products")
        print("\(response.status) \(response.headers["Content-Type"] ?? "")")
        let products: [Product] = try response.decoded()
        // end snippet
        try RecipePage("Requests").expectOutput(lines)
        #expect(products.count == 1)
    }

    @Test func statuses() async throws {
        // snippet: statuses
        var client = HTTPClient(base: server)
        client.acceptedStatuses = 200...404
        let exists = try await client.head("/gone").status != 404
        // end snippet
        #expect(!exists)
    }

    @Test func wholeURL() async throws {
        // snippet: url
        let url = URL(string: "https://api.example.com/products/7")!
        let product: Product = try await client.send(HTTPRequest(url)).decoded()
        // end snippet
        #expect(product.name == "pen")
    }

    @Test func oneHeader() async throws {
        // snippet: one-header
        let product: Product = try await client.get(
            "/products/\(7)", headers: ["Accept-Language": "eo"])
        // end snippet
        #expect(last?.headers["Accept-Language"] == "eo" && product.id == 7)
    }

    @Test func header() async throws {
        // snippet: header
        var client = HTTPClient(base: server)
        client.headers = ["X-App": "Shop", "Accept-Language": "eo"]
        client.userAgent = "Shop/2.1"
        // end snippet
        try await client.get("/products")
        #expect(last?.headers["X-App"] == "Shop")
        #expect(last?.headers["User-Agent"] == "Shop/2.1")
    }

    @Test func perRequest() async throws {
        // snippet: per-request
        var client = HTTPClient(base: server)
        client.aroundExchange = .init { request, next in
            var request = request
            request.headers["X-Request-ID"] = UUID().uuidString
            return try await next(request)
        }
        // end snippet
        try await client.get("/products")
        #expect(last?.headers["X-Request-ID"]?.count == 36)
    }

    @Test func dates() async throws {
        // snippet: dates
        struct Visit: Codable {
            var at: Date
        }

        var client = HTTPClient(base: server)
        client.json = .iso8601
        let visit: Visit = try await client.get("/visits/last")
        // end snippet
        #expect(visit.at.timeIntervalSince1970 == 1_769_860_800.5)
    }

    @Test func keys() async throws {
        // snippet: keys
        struct User: Codable {
            var firstName: String
        }

        var client = HTTPClient(base: server)
        client.json = .snakeCase
        let user: User = try await client.get("/users/\(7)")
        // end snippet
        #expect(user.firstName == "Ada")
    }

    @Test func pages() async throws {
        // snippet: pages
        for try await products: [Product] in client.pages("/list") {
            print("\(products.map(\.name))")
        }
        // end snippet
        try RecipePage("Requests").expectOutput(lines)
        #expect(shop.calls.count == 2)
    }

    // snippet: feed
    struct Feed: Decodable, Sendable {
        var posts: [String]
        var next: String?
    }
    // end snippet

    @Test func cursor() async throws {
        // snippet: cursor
        for try await feed in client.pages("/posts", cursor: "after", next: \Feed.next) {
            print("\(feed.posts)")
        }
        // end snippet
        #expect(lines.lines == [#"["first"]"#, #"["last"]"#])
        #expect(shop.calls.map { $0.request?.url.query() } == [nil, "after=c2"])
    }

    @Test func wrapper() async throws {
        // snippet: wrapper
        func load<Value: Decodable>(_ path: Endpoint.Path) async throws -> Value {
            try await client.get(path, headers: ["Accept-Language": "eo"])
        }
        let product: Product = try await load("/products/\(7)")
        // end snippet
        #expect(product.name == "pen")
        #expect(last?.headers["Accept-Language"] == "eo")
    }

    @Test func servers() async throws {
        // snippet: servers
        let shop = HTTPClient(base: server)
        var search = HTTPClient(base: URL(string: "https://search.example.com"))
        search.callName = { request in "search \(request.method)" }
        // end snippet
        let metrics = ServiceMetrics()
        search.observers = [metrics.observer]
        try await search.get("/search")
        #expect(metrics.prometheusText.contains(#"call="search GET""#))
        #expect(last?.url.host() == "search.example.com")
        try await shop.get("/products")
        #expect(last?.url.host() == "api.example.com")
    }

    @Test func compressed() async throws {
        // snippet: compressed
        var client = HTTPClient(base: server)
        client.decompressionLimit = 10 << 20
        // end snippet
        try await client.get("/products")
        #expect(last?.headers["Accept-Encoding"]?.contains("gzip") == true)
    }

    @Test func log() async throws {
        // snippet: log
        var client = HTTPClient(base: server)
        client.log = .init(headers: true, events: true) { line in print(line) }
        // end snippet
        try await client.get("/products")
        #expect(lines.lines.contains { $0.contains("url=https://api.example.com/products") })
        #expect(lines.lines.contains { $0.contains("event=ended") })
    }

    @Test func curl() async throws {
        // snippet: curl
        let endpoint = Endpoint(
            path: "/orders", method: .delete, headers: ["Authorization": "Bearer t0ken"])
        print(try HTTPRequest(endpoint, base: server).curlCommand)
        // end snippet
        try RecipePage("Requests").expectOutput(lines)
    }
}
