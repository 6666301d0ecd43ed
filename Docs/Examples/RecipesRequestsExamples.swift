// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Recipes/Requests.md.
@Suite(.oneAtATime)
struct RecipesRequestsExamples {
    // snippet: shop
    struct Product: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    let server = URL(string: "https://api.example.com")!

    /// A shop in memory.
    let shop = MemoryTransport(routes: [
        .get("/products/:id", answer: .json(Product(id: 7, name: "pen"))),
        .get("/visits/last", answer: .text(#"{"at":"2026-01-31T12:00:00Z"}"#)),
        .any("/orders", answer: .status(204)),
        .post("/login", answer: .status(204)),
    ])
    // end snippet

    /// The last request that the shop got.
    private var last: HTTPRequest? { shop.calls.last?.request }

    @Test func get() async throws {
        // snippet: get
        let client = HTTPClient(base: server, over: shop)
        let product: Product = try await client.decoded(Endpoint(path: "/products/7")).value
        // end snippet
        #expect(product.name == "pen")
    }

    @Test func header() async throws {
        // snippet: header
        var client = HTTPClient(base: server, over: shop)
        client.headers = ["X-App": "Shop", "Accept-Language": "eo"]
        client.userAgent = "Shop/2.1"
        _ = try await client.networking(Endpoint(path: "/products/7")).value
        // end snippet
        #expect(last?.headers["X-App"] == "Shop")
        #expect(last?.headers["User-Agent"] == "Shop/2.1")
    }

    @Test func oneHeader() async throws {
        // snippet: one-header
        let client = HTTPClient(base: server, over: shop)
        let one = Endpoint(path: "/products/7", headers: ["X-Trial": "b"])
        let product: Product = try await client.decoded(one).value
        // end snippet
        #expect(last?.headers["X-Trial"] == "b" && product.id == 7)
    }

    @Test func perRequest() async throws {
        // snippet: per-request
        var client = HTTPClient(base: server, over: shop)
        client.aroundExchange = .init { request in
            var request = request
            let bytes = request.body.data ?? Data()  // nil for a file or a stream
            request.headers["X-Signature"] = "\(request.url.path) \(bytes.count)"
            return request
        }
        _ = try await client.networking(Endpoint(path: "/products/7")).value
        // end snippet
        #expect(last?.headers["X-Signature"] == "/products/7 0")
    }

    @Test func json() async throws {
        // snippet: json
        let client = HTTPClient(base: server, over: shop)
        let pen = Product(id: 7, name: "pen")
        let order = Endpoint(
            path: "/orders", method: .post, body: try .json(pen, using: client.json))
        _ = try await client.networking(order).value
        // end snippet
        #expect(shop.calls.last?.endpoint.body.data == Data(#"{"id":7,"name":"pen"}"#.utf8))
        #expect(last?.effectiveHeaders["Content-Type"] == "application/json")
    }

    @Test func form() async throws {
        // snippet: form
        let client = HTTPClient(base: server, over: shop)
        let login = Endpoint(
            path: "/login", method: .post,
            body: .form([
                URLQueryItem(name: "user", value: "joanna"),
                URLQueryItem(name: "password", value: "open sesame"),
            ]))
        _ = try await client.networking(login).value
        // end snippet
        let sent = shop.calls.last?.endpoint.body.data
        #expect(sent == Data("user=joanna&password=open+sesame".utf8))
    }

    @Test func query() throws {
        // snippet: query
        let words = "50% off & more"
        let search = Endpoint(path: "/search?q=\(words)&page=\(2)", base: server)
        let same = Endpoint(
            path: "/search",
            queryItems: [.init(name: "q", value: words), .init(name: "page", value: "2")],
            base: server)
        print(search.url!, same.url! == search.url!)
        // end snippet
        #expect(search.url?.query() == "q=50%25%20off%20%26%20more&page=2")
    }

    @Test func dates() async throws {
        // snippet: dates
        struct Visit: Codable, Sendable {
            var at: Date
        }

        var client = HTTPClient(base: server, over: shop)
        client.json = JSONCoding(
            encoding: { $0.dateEncodingStrategy = .iso8601 },
            decoding: { $0.dateDecodingStrategy = .iso8601 })
        let visit: Visit = try await client.decoded(Endpoint(path: "/visits/last")).value
        // end snippet
        #expect(visit.at.timeIntervalSince1970 == 1_769_860_800)
    }

    @Test func compressed() async throws {
        // snippet: compressed
        var client = HTTPClient(base: server, over: shop)
        client.decompressionLimit = 10 << 20
        _ = try await client.networking(Endpoint(path: "/products/7")).value
        // end snippet
        #expect(last?.headers["Accept-Encoding"]?.contains("gzip") == true)
    }

    @Test func log() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: log
        var client = HTTPClient(base: server, over: shop)
        client.log = .init(headers: true, events: true) { line in print(line) }
        _ = try await client.networking(Endpoint(path: "/products/7")).value
        // end snippet
        #expect(lines.lines.contains { $0.contains("url=https://api.example.com/products/7") })
        #expect(lines.lines.contains { $0.contains("event=ended") })
    }

    @Test func curl() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: curl
        let endpoint = Endpoint(
            path: "/orders", method: .delete, headers: ["Authorization": "Bearer t0ken"])
        print(try HTTPRequest(endpoint, base: server).curlCommand)
        // end snippet
        try RecipePage("Requests").expectOutput(lines)
    }
}
