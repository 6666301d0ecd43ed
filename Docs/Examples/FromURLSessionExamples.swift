// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Guides/FromURLSession.md.
@Suite struct FromURLSessionExamples {
    // snippet: shop
    struct Item: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    struct Page: Codable, Equatable, Sendable {
        var items: [Item]
        var next: Int?
    }

    struct Shop: Sendable {
        let client: HTTPClient

        init(_ client: HTTPClient, token: String) {
            var client = client
            client.authorization = .bearer(token)
            client.attemptTimeout = .seconds(10)
            self.client = client
        }

        func items(page: Int) async throws -> Page {
            try await client.decoded(Endpoint(path: "/items?page=\(page)")).value
        }

        func add(_ item: Item) async throws {
            let order = Endpoint(path: "/orders", method: .post, body: try .json(item))
            _ = try await client.networking(order).value
        }
    }
    // end snippet

    private let transport = MemoryTransport(routes: [
        .get(
            "/items", query: ["page": "2"],
            answer: .json(Page(items: [Item(id: 7, name: "pen")], next: nil))),
        .get("/items", answer: .json(Page(items: [], next: 2))),
        .post("/orders", answer: .status(201, headers: ["Location": "/orders/1"])),
        .any("/stock/:id", answer: .status(404, body: Data("no such item".utf8))),
    ])
    private let server = URL(string: "https://shop.example")!

    private func HTTPClient(base: URL) -> HTTPClients.HTTPClient {
        HTTPClients.HTTPClient(base: base, over: transport)
    }

    @Test func loads() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: use
        let server = URL(string: "https://shop.example")!
        let shop = Shop(HTTPClient(base: server), token: "t0ken")
        async let first = shop.items(page: 1)
        async let second = shop.items(page: 2)
        let items = try await first.items + second.items
        print("\(items.map(\.name))")
        try await shop.add(items[0])
        // end snippet
        #expect(lines.lines == [#"["pen"]"#])
        let order = try #require(transport.calls.last?.request)
        #expect(order.headers["Authorization"] == "Bearer t0ken")
        #expect(order.effectiveHeaders["Content-Type"] == "application/json")
    }

    @Test func keepsTheResponse() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: whole
        let client = HTTPClient(base: server)
        let order = HTTPRequest(
            .post, server.appending(path: "orders"), headers: ["X-Trial": "b"],
            body: try .json(Item(id: 7, name: "pen")))
        let response = try await client.send(order).value
        print("\(response.status) \(response.headers["Location"] ?? "")")

        let missing = try await client.send(HTTPRequest(server.appending(path: "stock/8"))).value
        print("\(missing.status) \(missing.text)")  // no error at this level
        // end snippet
        #expect(lines.lines == ["201 /orders/1", "404 no such item"])
    }

    @Test func cancels() async throws {
        let answer = Promise<HTTPResponse>()
        let shop = Shop(HTTPClients.HTTPClient(base: server, over: { _ in answer }), token: "t")
        let task = Task { try await shop.items(page: 1) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aStatusIsAnError() async throws {
        let client = HTTPClient(base: server)
        let error = await #expect(throws: HTTPError.self) {
            try await client.networking(Endpoint(path: "/stock/8")).value
        }
        #expect(error?.status == 404)
    }
}
