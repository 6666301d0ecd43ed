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
    private let scheduler: ManualScheduler
    private let networking: Networking
    private let load: @Sendable (Int) -> Future<String>
    private let lines = ExampleLog()

    /// What the recipes print.
    private var print: @Sendable (String) -> Void { { [lines] in lines.add($0) } }

    init() {
        // snippet: load
        let scheduler = ManualScheduler()

        /// A shop in memory: its export is ready when it is asked for the third time.
        let networking = MemoryTransport(routes: [
            .get("/products/:id", answer: .reply { call in Data(call.parameters["id"]!.utf8) }),
            .get("/export", answer: .sequence([.text("wait"), .text("wait"), .text("done")])),
        ]).request
        let load = { @Sendable (id: Int) -> Future<String> in
            networking(Endpoint(path: "/products/\(id)")).map { data in
                "product \(String(decoding: data, as: UTF8.self))"
            }
        }
        // end snippet
        (self.scheduler, self.networking, self.load) = (scheduler, networking, load)
    }

    @Test func both() async throws {
        // snippet: both
        let page = zip(load(7), networking(Endpoint(path: "/export")))
            .map { product, export in "\(product), \(export.count) bytes" }
        print(try await page.value)
        // end snippet
        try RecipePage("Combining").expectOutput(lines)
        #expect(lines.lines == ["product 7, 4 bytes"])
    }

    @Test func partial() throws {
        // snippet: partial
        let advice = load(8).delay(.seconds(9), on: scheduler)  // too slow
            .timeout(.milliseconds(500), on: scheduler)
            .map { text in text as String? }
            .recover { error in nil }
        let page = zip(load(7), advice).map { product, advice in
            "\(product), \(advice ?? "no advice")"
        }
        page.observe { result in print("\(scheduler.now.offset): \(result)") }
        scheduler.run()
        // end snippet
        try RecipePage("Combining").expectOutput(lines)
        #expect(scheduler.isIdle)
    }

    @Test func many() async throws {
        // snippet: many
        let products = try await Future.all([7, 8, 9].map(load)).value
        let results = await Future.allSettled([7, 8, 9].map(load)).resultWhenSettled
        print("\(products.count), \(try results.get().count)")
        // end snippet
        #expect(lines.lines == ["3, 3"])
    }

    @Test func keepGoing() async throws {
        // snippet: keep-going
        let results = try await Future.traverse(1...200, maxConcurrent: 8) { id in
            load(id).flatMapResult { result in Future(value: result) }
        }.value
        let loaded = results.compactMap { try? $0.get() }
        print("\(loaded.count) of \(results.count)")
        // end snippet
        try RecipePage("Combining").expectOutput(lines)
        #expect(lines.lines == ["200 of 200"])
    }

    @Test func inOrder() async throws {
        // snippet: in-order
        let next = load(7).flatMap { first in
            load(8).map { second in "\(first), then \(second)" }
        }
        print(try await next.value)
        // end snippet
        try RecipePage("Combining").expectOutput(lines)
        #expect(lines.lines == ["product 7, then product 8"])
    }

    @Test func first() async throws {
        // snippet: first
        let near = load(7).delay(.milliseconds(20), on: scheduler)
        let far = load(8).delay(.milliseconds(90), on: scheduler)
        Future.any([near, far]).observe { result in print("\(result)") }
        scheduler.run()
        // end snippet
        try RecipePage("Combining").expectOutput(lines)
        #expect(lines.lines == [#"success("product 7")"#])
    }

    @Test func poll() throws {
        // snippet: poll
        @Sendable func poll() -> Future<String> {
            networking(Endpoint(path: "/export")).flatMap { data in
                let text = String(decoding: data, as: UTF8.self)
                if text != "wait" { return Future(value: text) }
                return Future(value: ()).delay(.seconds(5), on: scheduler).flatMap { poll() }
            }
        }
        poll().timeout(.seconds(60), on: scheduler).observe { result in
            print("\(result) at \(scheduler.now.offset)")
        }
        scheduler.run()
        // end snippet
        try RecipePage("Combining").expectOutput(lines)
        #expect(lines.lines == [#"success("done") at 10.0 seconds"#])
    }

    @Test func pages() async throws {
        // snippet: pages
        let loadPage: Service<Int, [String]> = { number in
            Future(value: number < 3 ? ["item \(number)"] : [])
        }
        let pages = paginate(loadPage, from: 1, maxPages: 100) { items, number in
            items.isEmpty ? nil : number + 1
        }
        var all: [String] = []
        for try await items in pages { all += items }
        // end snippet
        #expect(all == ["item 1", "item 2"])
    }

    @Test func loop() async throws {
        // snippet: loop
        for id in [7, 8, 9] {
            print(try await load(id).value)
        }
        // end snippet
        try RecipePage("Adapting").expectOutput(lines)
        #expect(lines.lines == ["product 7", "product 8", "product 9"])
    }

    @Test func asCompleted() async throws {
        // snippet: as-completed
        for await result in Future.asCompleted([7, 8, 9].map(load)) {
            print((try? result.get()) ?? "not loaded")
        }
        // end snippet
        #expect(lines.lines == ["product 7", "product 8", "product 9"])
    }

    @Test func share() throws {
        // snippet: share
        let slowly: Service<Int, String> = { id in
            print("asked for \(id)")
            return load(id).delay(.seconds(1), on: scheduler)
        }
        let shared = stack(.coalesce(), over: slowly)
        let rows = (1...10).map { _ in shared(7) }
        scheduler.run()
        // end snippet
        try RecipePage("Combining").expectOutput(lines)
        #expect(lines.lines == ["asked for 7"])
        #expect(rows.allSatisfy { $0.isSettled })
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
        print(try await product.value)
        // end snippet
        #expect(lines.lines == ["product 7"])
    }

    @Test func asynchronous() async throws {
        // snippet: async
        let loadName: @Sendable (Int) async throws -> String = { id in "name \(id)" }
        let loadFuture = returningFuture(loadName)
        let loadAgain = awaiting(loadFuture)
        let name = try await loadAgain(7)
        // end snippet
        #expect(name == "name 7")
    }
}
