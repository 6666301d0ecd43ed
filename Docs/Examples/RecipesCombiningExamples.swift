// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Recipes/Combining.md and Adapting.md.
@Suite(.oneAtATime)
struct RecipesCombiningExamples {
    // snippet: product
    struct Product: Codable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    // snippet: server
    let server = URL(string: "https://api.example.com")!
    // end snippet

    private let scheduler: ManualScheduler
    private let shop: MemoryTransport
    private let lines = ExampleLog()

    init() {
        let scheduler = ManualScheduler()
        let product = { @Sendable (call: MemoryTransport.Call) -> Data in
            let id = call.parameters["id"] ?? "8"
            return Data(#"{"id": \#(id), "name": "product \#(id)"}"#.utf8)
        }
        let slow = MemoryTransport.Answer.future { call in
            Future(value: HTTPResponse(status: 200, body: product(call))).delay(
                .seconds(9), on: scheduler)
        }
        shop = MemoryTransport(routes: [
            .get("/products/8", answer: slow),
            .get("/products/:id", answer: .reply(product)),
            .get("/products/:id/reviews", answer: .text(#"["good", "very good"]"#)),
            .get(
                "/export",
                answer: .sequence([.status(202), .status(202), .text("an export")])),
            .get(
                "/list",
                answer: .reply { call in
                    let number = Int(call.request?.url.query()?.dropFirst(5) ?? "") ?? 0
                    return Data((number < 3 ? #"["item \#(number)"]"# : "[]").utf8)
                }),
        ])
        self.scheduler = scheduler
    }

    /// A client over the shop, on virtual time.
    private func HTTPClient(base: URL?) -> PledgeHTTPClients.HTTPClient {
        var client = PledgeHTTPClients.HTTPClient(base: base, over: shop)
        client.scheduler = scheduler
        return client
    }

    private var client: PledgeHTTPClients.HTTPClient { HTTPClient(base: server) }

    private var load: @Sendable (Int) -> Future<Product> {
        let client = client
        // snippet: load
        let load = { @Sendable (id: Int) -> Future<Product> in
            client.futures.get("/products/\(id)", as: Product.self)
        }
        // end snippet
        return load
    }

    /// What the recipes print.
    private var print: @Sendable (String) -> Void { { [lines] in lines.add($0) } }

    @Test func both() async throws {
        // snippet: client
        let client = HTTPClient(base: server)
        // end snippet
        // snippet: both
        async let product: Product = client.get("/products/\(7)")
        async let reviews: [String] = client.get("/products/\(7)/reviews")
        print("\(try await product.name): \(try await reviews.count) reviews")
        // end snippet
        try RecipePage("Combining").expectOutput(lines)
    }

    @Test func partial() throws {
        // snippet: partial
        let advice = load(8)
            .timeout(.milliseconds(500), on: client.scheduler)
            .map { product in product as Product? }
            .recover { _ in nil }
        let page = zip(load(7), advice).map { product, advice in
            "\(product.name), \(advice?.name ?? "no advice")"
        }
        page.onSuccess { text in print(text) }
        // end snippet
        scheduler.run()
        try RecipePage("Combining").expectOutput(lines)
    }

    @Test func many() async throws {
        // snippet: many
        let products = try await Future.all([5, 6, 7].map(load)).value
        // end snippet
        #expect(products.map(\.id) == [5, 6, 7])
    }

    @Test func keepGoing() async throws {
        let load = load
        // snippet: keep-going
        let results = try await Future.traverse(11...200, maxConcurrent: 8) { id in
            load(id).flatMapResult { result in Future(value: result) }
        }.value
        let loaded = results.compactMap { try? $0.get() }
        print("\(loaded.count) of \(results.count)")
        // end snippet
        try RecipePage("Combining").expectOutput(lines)
    }

    @Test func inOrder() async throws {
        // snippet: in-order
        let first: Product = try await client.get("/products/\(6)")
        let second: Product = try await client.get("/products/\(first.id + 1)")
        // end snippet
        #expect(second.name == "product 7")
    }

    @Test func first() throws {
        // snippet: first
        let fastest = Future.any([load(7), load(8)])
        // end snippet
        #expect(try fastest.settledValue().id == 7)
    }

    @Test func poll() async throws {
        let scheduler = scheduler
        var client = client
        // The test's time runs on while a call waits for a processor.
        (client.attemptTimeout, client.deadline) = (nil, nil)
        let polling = Future { [client] in
            // snippet: poll
            var answer = try await client.get("/export")
            while answer.status == 202 {
                try await client.scheduler.clock.sleep(for: .seconds(5))
                answer = try await client.get("/export")
            }
            // end snippet
            return answer.text
        }
        #expect(
            await comesTrue {
                scheduler.advance(by: .seconds(1))
                return polling.isSettled
            })
        #expect(try await polling.value == "an export")
        #expect(shop.calls.count == 3)
    }

    @Test func pages() async throws {
        let client = client
        // snippet: pages
        let loadPage = { @Sendable (page: Int) async throws -> [String] in
            try await client.get("/list", query: ["page": page])
        }
        let pages = paginate(loadPage, from: 1) { items, page in items.isEmpty ? nil : page + 1 }
        for try await items in pages { print("\(items)") }
        // end snippet
        #expect(lines.lines == [#"["item 1"]"#, #"["item 2"]"#, "[]"])
    }

    @Test func asCompleted() async throws {
        // snippet: as-completed
        for await result in Future.asCompleted([5, 6, 7].map(load)) {
            print((try? result.get().name) ?? "not loaded")
        }
        // end snippet
        #expect(lines.lines == ["product 5", "product 6", "product 7"])
    }

    @Test func share() throws {
        // snippet: share
        let shared = stack(.coalesce(), over: load)
        let rows = (1...10).map { _ in shared(8) }
        // end snippet
        scheduler.run()
        #expect(shop.calls.count == 1)
        #expect(try rows.map { try $0.settledValue().id } == Array(repeating: 8, count: 10))
    }

    @Test func loop() async throws {
        // snippet: loop
        for id in [5, 6, 7] {
            print(try await load(id).value.name)
        }
        // end snippet
        try RecipePage("Adapting").expectOutput(lines)
    }

    @Test func asyncFlatMap() async throws {
        let client = client
        // snippet: async-flat-map
        let summary = load(7).then { product in
            let reviews: [String] = try await client.get("/products/\(product.id)/reviews")
            return "\(product.name): \(reviews.count) reviews"
        }
        // end snippet
        #expect(try await summary.value == "product 7: 2 reviews")
    }

    @Test func asynchronous() async throws {
        // snippet: async
        let loadName: @Sendable (Int) async throws -> String = { id in "name \(id)" }
        let loadFuture = { @Sendable id in Future { try await loadName(id) } }
        let name = try await loadFuture(7).value
        // end snippet
        #expect(name == "name 7")
    }

    @Test func callback() async throws {
        // snippet: callback
        @Sendable func old(_ id: Int, _ done: @escaping @Sendable (String?, (any Error)?) -> Void) {
            done("product \(id)", nil)
        }
        let product = Future<String>.make { resolver in
            old(7) { value, error in
                if let value { resolver.resolve(with: value) }
                if let error { resolver.reject(with: error) }
            }
        }
        // end snippet
        #expect(try await product.value == "product 7")
    }
}
