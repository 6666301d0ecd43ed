// snippet: imports
import Foundation
import Pledge
import PledgeTesting
import Testing

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
        private let networking: Networking

        init(networking: @escaping Networking) { self.networking = networking }

        func load() async {
            let product: Future<Product> = networking(Endpoint(path: "/products/7")).decoded()
            title = (try? await product.value.name) ?? "Not loaded"
        }
    }
    // end snippet

    // snippet: view-model
    @Test @MainActor func showsTheName() async throws {
        let network = MockNetwork()
        let model = ProductModel(networking: network.request)
        let loading = Task { await model.load() }

        let call = try await network.next()
        #expect(call.endpoint == Endpoint(path: "/products/7"))
        try call.answer(with: .json(Product(id: 7, name: "pen")))
        await loading.value

        #expect(model.title == "pen")
        try network.finish()
    }
    // end snippet

    // snippet: failure
    @Test @MainActor func saysThatNothingWasLoaded() async throws {
        let network = MockNetwork()
        let model = ProductModel(networking: network.request)
        let loading = Task { await model.load() }

        try await network.next().answer(with: .failure(HTTPError(code: .notConnected)))
        await loading.value

        #expect(model.title == "Not loaded")
    }
    // end snippet

    // snippet: virtual-time
    @Test func asksAgainAfterOneSecond() throws {
        let (network, scheduler) = (MockNetwork(), ManualScheduler())
        let api: Networking = stack(
            .retry(backoff: .constant(.seconds(1)), on: scheduler), over: network.request)
        let answer = api(Endpoint(path: "/products/7"))

        try network.next().answer(with: .status(503))
        #expect(network.pending.isEmpty)
        scheduler.advance(by: .seconds(1))
        try network.next().answer(with: Data("pen".utf8))

        #expect(try answer.settledValue() == Data("pen".utf8))
    }
    // end snippet

    // snippet: whole-client
    @Test func retriesWithTheSameHeaders() throws {
        let (network, scheduler) = (MockNetwork(), ManualScheduler())
        let server = try #require(URL(string: "https://api.example.com"))
        var client = HTTPClient(base: server, over: network.send)
        client.scheduler = scheduler
        client.headers = ["X-App": "Shop"]
        let answer = client.networking(Endpoint(path: "/products/7"))

        try network.next().answer(with: .status(503))
        scheduler.advance(by: .seconds(1))  // longer than the first wait of a retry
        let second = try network.next()
        #expect(second.headers["X-App"] == "Shop")
        second.answer(with: Data("pen".utf8))
        #expect(try answer.settledValue() == Data("pen".utf8))
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

        let product: Product = try await client.decoded(Endpoint(path: "/products/7")).value

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
        _ = client.networking(Endpoint(path: "/products/7"))
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
