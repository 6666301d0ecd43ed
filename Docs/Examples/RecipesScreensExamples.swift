// snippet: imports
import Foundation
import Observation
import Pledge
// end snippet
// snippet: stubs
import PledgeTesting
// end snippet
import TestSupport
import Testing

#if canImport(SwiftUI)
// snippet: swiftui
import SwiftUI
// end snippet
#endif

#if canImport(os)
// snippet: os
import os
// end snippet
#endif

// snippet: message
func message(for error: any Error) -> String {
    if (error as? HTTPError)?.status == 404 { return "It is gone." }
    return error.isTimeout ? "The server is slow." : "Not loaded."
}
// end snippet

/// The code of Docs/Guides/Recipes/Screens.md.
@MainActor @Suite(.oneAtATime)
struct RecipesScreensExamples {
    // snippet: product
    struct Product: Codable, Identifiable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    // snippet: server
    let server = URL(string: "https://api.example.com")!
    // end snippet

    // snippet: model
    @MainActor @Observable final class ProductModel {
        private(set) var product = Loadable<Product, any Error>.idle
        private let client: HTTPClient

        init(client: HTTPClient) { self.client = client }

        func load(_ id: Int) async {
            product.startLoading()
            let answer = client.futures.get("/products/\(id)", as: Product.self)
            let result = await answer.resultWhenSettled
            if Task.isCancelled { return product.cancelLoading() }
            product.finishLoading(with: result)
        }
    }
    // end snippet

    #if canImport(SwiftUI)
    // snippet: view
    struct ProductView: View {
        @State var model: ProductModel

        var body: some View {
            VStack {
                if let product = model.product.value { Text(product.name) }
                if model.product.isLoading { ProgressView() }
                if let error = model.product.error { Text(message(for: error)) }
                Button("Load again") { Task { await model.load(7) } }
            }.task { await model.load(7) }
        }
    }
    // end snippet
    #endif

    // snippet: list-model
    @MainActor @Observable final class ProductsModel {
        private(set) var products: [Product] = []
        private(set) var error: (any Error)?
        private let client: HTTPClient

        init(client: HTTPClient) { self.client = client }

        func load() async {
            do {
                products = try await client.get("/products")
                error = nil
            } catch { self.error = error is CancellationError ? nil : error }
        }
    }
    // end snippet

    #if canImport(SwiftUI)
    // snippet: refreshable
    struct ProductsView: View {
        @State var model: ProductsModel

        var body: some View {
            List(model.products) { product in Text(product.name) }
                .task { await model.load() }
                .refreshable { await model.load() }
        }
    }
    // end snippet
    #endif

    // snippet: feed
    struct Feed: Decodable, Sendable {
        var products: [Product]
        var next: String?
    }
    // end snippet

    // snippet: paged-model
    @MainActor @Observable final class FeedModel {
        private(set) var products: [Product] = []
        private(set) var hasMore = true
        private var cursor: String?
        private let client: HTTPClient

        init(client: HTTPClient) { self.client = client }

        func loadMore() async throws {
            let feed: Feed = try await client.get("/feed", query: ["after": cursor])
            products += feed.products
            (cursor, hasMore) = (feed.next, feed.next != nil)
        }
    }
    // end snippet

    #if canImport(SwiftUI)
    // snippet: paged-view
    struct FeedView: View {
        @State var model: FeedModel

        var body: some View {
            List {
                ForEach(model.products) { product in Text(product.name) }
                if model.hasMore {
                    ProgressView().task(id: model.products.count) { try? await model.loadMore() }
                }
            }
        }
    }
    // end snippet
    #endif

    // snippet: progress-model
    @MainActor @Observable final class FilmModel {
        private(set) var part = 0.0

        func save(_ film: URL, to file: URL, by client: HTTPClient) async throws {
            _ = try await download(
                HTTPRequest(film), to: file, over: client.futures.stream,
                progress: { received, total in
                    let part = Double(received) / Double(total ?? .max)
                    Task { @MainActor in self.part = max(self.part, part) }
                }
            ).value
        }
    }
    // end snippet

    #if canImport(SwiftUI)
    // snippet: progress-view
    struct FilmView: View {
        @State var model = FilmModel()
        let film: URL
        let file: URL
        let client: HTTPClient

        var body: some View {
            ProgressView(value: model.part)
                .task { try? await model.save(film, to: file, by: client) }
        }
    }
    // end snippet
    #endif

    // snippet: search-model
    @MainActor @Observable final class SearchModel {
        private(set) var hits: [Product] = []
        private let client: HTTPClient

        init(client: HTTPClient) { self.client = client }

        func search(_ words: String) async {
            do {
                try await client.scheduler.clock.sleep(for: .milliseconds(300))
                hits = try await client.get("/products", query: ["q": words])
            } catch {}  // cancelled by the next letter, or not found
        }
    }
    // end snippet

    #if canImport(os)
    func log() {
        // snippet: logger
        let logger = Logger(subsystem: "com.example.shop", category: "network")
        var client = HTTPClient(base: server)
        client.log = .init { line in logger.debug("\(line, privacy: .public)") }
        // end snippet
        _ = client
    }
    #endif

    #if canImport(SwiftUI)
    // snippet: search-view
    struct SearchView: View {
        @State var model: SearchModel
        @State var words = ""

        var body: some View {
            List(model.hits) { product in Text(product.name) }
                .searchable(text: $words)
                .task(id: words) { await model.search(words) }
        }
    }
    // end snippet
    #endif
}

extension RecipesScreensExamples {
    private func client(_ routes: [MemoryTransport.Route]) -> HTTPClient {
        HTTPClient(base: server, over: MemoryTransport(routes: routes))
    }

    @Test func texts() async {
        // snippet: stub
        let preview = MemoryTransport(routes: [
            .get("/products/7", answer: .json(Product(id: 7, name: "pen"))),
            .any("/products/:id", answer: .status(404)),
        ])
        let model = ProductModel(client: HTTPClient(base: server, over: preview))
        // end snippet
        await model.load(7)
        #expect(model.product.value?.name == "pen")
        await model.load(8)
        #expect(model.product.value?.name == "pen")
        #expect(model.product.error.map(message) == "It is gone.")
    }

    @Test func nothingIsShownAfterACancellation() async throws {
        let network = MockNetwork()
        let model = ProductModel(client: HTTPClient(base: server, over: network.send))
        // snippet: task
        let task = Task { await model.load(7) }  // as `.task` does when the view appears
        // end snippet
        let call = try await network.next()
        // snippet: leave
        task.cancel()  // as `.task` does when the view disappears
        // end snippet
        call.answer(with: .json(Product(id: 7, name: "pen")))
        await task.value
        #expect(!model.product.isLoading && model.product.value == nil)
    }

    @Test func list() async {
        let model = ProductsModel(
            client: client([
                .get(
                    "/products",
                    answer: .sequence([.json([Product(id: 7, name: "pen")]), .status(404)]))
            ]))
        await model.load()
        #expect(model.products.map(\.name) == ["pen"] && model.error == nil)
        await model.load()
        #expect(model.products.map(\.name) == ["pen"] && model.error != nil)
    }

    @Test func feed() async throws {
        let model = FeedModel(
            client: client([
                .get(
                    "/feed",
                    answer: .sequence([
                        .text(#"{"products":[{"id":7,"name":"pen"}],"next":"c2"}"#),
                        .text(#"{"products":[{"id":8,"name":"ink"}]}"#),
                    ]))
            ]))
        try await model.loadMore()
        #expect(model.hasMore)
        try await model.loadMore()
        #expect(!model.hasMore && model.products.map(\.name) == ["pen", "ink"])
    }

    @Test func film() async throws {
        let file = URL.temporaryDirectory.appending(path: "\(UUID()).mp4")
        defer { try? FileManager.default.removeItem(at: file) }
        let model = FilmModel()
        let films = client([.get("/film", answer: .text("scene one"))])
        try await model.save(server.appending(path: "film"), to: file, by: films)
        #expect(await comesTrue { model.part == 1 })
    }

    @Test func search() async {
        await withVirtualTime { clock in
            let shop = MemoryTransport(routes: [
                .get("/products", answer: .json([Product(id: 7, name: "momo")]))
            ])
            var client = HTTPClient(base: server, over: shop)
            client.scheduler = clock
            let model = SearchModel(client: client)
            let first = Task { await model.search("mo") }
            await clock.advance(by: .milliseconds(200))
            first.cancel()
            async let second: Void = model.search("momo")
            await clock.advance(by: .milliseconds(300))
            await second
            #expect(model.hits.map(\.name) == ["momo"])
            #expect(shop.calls.map { $0.request?.url.query() } == ["q=momo"])
        }
    }

    @Test func token() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: token
        let answer = Promise<Data>()
        answer.onCancel { print("the request is cancelled") }
        let shown = answer.observe { result in print("\(result)") }

        shown.cancel()  // in viewDidDisappear
        // end snippet
        try RecipePage("Screens").expectOutput(lines)
    }
}
