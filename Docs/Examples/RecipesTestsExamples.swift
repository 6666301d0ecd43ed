// snippet: imports
import Foundation
import Pledge
import PledgeTesting
import Testing

// end snippet
// swift-format-ignore: OrderedImports
// snippet: observing
import PledgeObservation

// end snippet
// swift-format-ignore: OrderedImports
import TestSupport

/// The code of Docs/Guides/Recipes/Tests.md.
@Suite(.oneAtATime)
struct RecipesTestsExamples {
    // snippet: model
    struct Product: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }

    @MainActor final class ProductModel {
        private(set) var title = "…"
        private let client: HTTPClient

        init(client: HTTPClient) { self.client = client }

        func load() async {
            let product: Product? = try? await client.get("/products/\(7)")
            title = product?.name ?? "Not loaded"
        }
    }
    // end snippet

    // snippet: memory
    @Test @MainActor func showsTheName() async {
        let shop = MemoryTransport(routes: [
            .get("/products/:id", answer: .json(Product(id: 7, name: "pen")))
        ])
        let server = URL(string: "https://api.example.com")
        let model = ProductModel(client: HTTPClient(base: server, over: shop))
        await model.load()
        #expect(model.title == "pen")
    }
    // end snippet

    // snippet: failure
    @Test @MainActor func saysThatNothingWasLoaded() async {
        let shop = MemoryTransport(routes: [.get("/products/:id", answer: .status(404))])
        let server = URL(string: "https://api.example.com")
        let model = ProductModel(client: HTTPClient(base: server, over: shop))
        await model.load()
        #expect(model.title == "Not loaded")
    }
    // end snippet

    // snippet: sent
    @Test func sendsTheHeader() async throws {
        let shop = MemoryTransport(routes: [.post("/orders", answer: .status(201))])
        var client = HTTPClient(base: URL(string: "https://api.example.com"), over: shop)
        client.headers = ["X-App": "Shop"]
        try await client.post("/orders", json: Product(id: 7, name: "pen"))

        let sent = try #require(shop.calls.first?.request)
        #expect(sent.headers["X-App"] == "Shop")
        #expect(sent.body.data == Data(#"{"id":7,"name":"pen"}"#.utf8))
    }
    // end snippet

    // snippet: mock
    @Test @MainActor func showsNothingUntilTheAnswerComes() async throws {
        let network = MockNetwork()
        let server = URL(string: "https://api.example.com")
        let model = ProductModel(client: HTTPClient(base: server, over: network.send))
        let loading = Task { await model.load() }

        let call = try await network.next()
        #expect(model.title == "…")
        call.answer(with: .json(Product(id: 7, name: "pen")))
        await loading.value
        #expect(model.title == "pen")
        try network.finish()
    }
    // end snippet

    // snippet: virtual-time
    @Test func asksAgainAfterOneSecond() throws {
        let scheduler = ManualScheduler()
        let busy = MemoryTransport(routes: [
            .get("/pen", answer: .sequence([.status(503), .text("pen")]))
        ])
        var client = HTTPClient(base: URL(string: "https://api.example.com"), over: busy)
        client.scheduler = scheduler
        client.retry = .init(backoff: .constant(.seconds(1)))

        let pen = client.futures.get("/pen", as: Data.self)
        #expect(pen.result == nil)
        scheduler.advance(by: .seconds(1))
        #expect(try pen.settledValue() == Data("pen".utf8))
    }
    // end snippet

    // snippet: fake-server
    @Test func loadsOverARealSocket() async throws {
        let server = try LoopbackServer(answers: [
            .truncated(#"{"id": 7, "#, of: 30), .json(Product(id: 7, name: "pen")),
        ])
        defer { server.stop() }
        var client = HTTPClient(base: server.url)
        client.retry = .init(attempts: 2, backoff: .constant(.zero))

        let product: Product = try await client.get("/products/\(7)")

        #expect(product.name == "pen")
        #expect(server.requests.count == 2)
    }
    // end snippet

    @Test func record() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: record
        let scheduler = ManualScheduler()
        let shop = MemoryTransport(
            routes: [.get("/products/7", answer: .sequence([.status(503), .text("pen")]))],
            latency: .milliseconds(20), on: scheduler)
        let recorder = CallRecorder()
        var client = HTTPClient(base: URL(string: "https://api.example.com"), over: shop)
        client.scheduler = scheduler
        client.retry = .init(backoff: .constant(.milliseconds(10)))
        client.observers = [recorder.observer]
        _ = client.futures.send(Endpoint(path: "/products/7"))
        scheduler.run()
        print(recorder.lastCall?.waterfall(width: 20) ?? "")
        // end snippet
        try RecipePage("Tests").expectOutput(lines)
        // snippet: trace
        let file = FileManager.default.temporaryDirectory.appending(path: "calls.json")
        try recorder.chromeTrace.write(to: file, atomically: true, encoding: .utf8)
        // end snippet
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try String(contentsOf: file, encoding: .utf8).contains("traceEvents"))
    }
}
