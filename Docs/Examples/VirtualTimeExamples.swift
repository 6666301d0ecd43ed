import Foundation
// snippet: imports
import Observation
import Pledge
import PledgeStores
import PledgeTesting
import Testing

// end snippet

/// The tests in virtual time of Docs/Guides/Testing.md.
struct VirtualTimeExamples {
    typealias Product = TestingExamples.Product

    // snippet: retry
    @Test func asksAgainAfterOneSecond() async throws {
        try await withVirtualTime { clock in
            let shop = MemoryTransport(routes: [
                .get(
                    "/products/7",
                    answer: .sequence([.status(503), .json(Product(id: 7, name: "pen"))]))
            ])
            var client = HTTPClient(base: URL(string: "https://shop.example"), over: shop)
            client.scheduler = clock
            client.retry = .init(backoff: .constant(.seconds(1)))
            client.aroundExchange = .init { request, next in
                var request = request
                request.headers["X-Signature"] = await Signer.shared.signature(of: request.url)
                return try await next(request)
            }
            let product = client.futures.get("/products/7", as: Product.self)

            await clock.advance(by: .seconds(1))

            let name = try product.settledValue().name
            #expect(name == "pen")
            #expect(shop.calls.count == 2)
        }
    }
    // end snippet

    // snippet: signer
    actor Signer {
        static let shared = Signer()
        func signature(of url: URL) -> String { "\(url.path().count)" }
    }
    // end snippet

    // snippet: search-model
    @MainActor @Observable final class SearchModel {
        private(set) var hits: [Product] = []
        var words = "" { didSet { search() } }
        @ObservationIgnored private var searching: Task<Void, Never>?
        private let client: HTTPClient

        init(client: HTTPClient) { self.client = client }

        private func search() {
            searching?.cancel()
            searching = Task {
                do {
                    try await client.scheduler.clock.sleep(for: .milliseconds(300))
                    hits = try await client.get("/products", query: ["q": words])
                } catch {}  // cancelled by the next letter, or not found
            }
        }
    }
    // end snippet

    // snippet: search
    @Test @MainActor func searchesWhenTheUserPauses() async {
        await withVirtualTime { clock in
            let shop = MemoryTransport(routes: [
                .get("/products", answer: .json([Product(id: 7, name: "momo")]))
            ])
            var client = HTTPClient(base: URL(string: "https://shop.example"), over: shop)
            client.scheduler = clock
            let model = SearchModel(client: client)

            for words in ["m", "mo", "mom"] {
                model.words = words
                await clock.advance(by: .milliseconds(100))
            }
            #expect(shop.calls.isEmpty)
            await clock.advance(by: .milliseconds(200))

            #expect(shop.calls.map { $0.request?.url.query() } == ["q=mom"])
            #expect(model.hits.map(\.name) == ["momo"])
        }
    }
    // end snippet

    // snippet: refresh
    @Test func twoCallsRefreshTheTokenOnce() async throws {
        try await withVirtualTime { clock in
            let network = MockNetwork()
            var client = HTTPClient(base: URL(string: "https://shop.example"), over: network)
            client.scheduler = clock
            client.authorization = .bearer(
                from: TokenRefresher(AccessToken("old"), on: clock) { _ in
                    try await clock.sleep(for: .seconds(2))
                    return AccessToken("new")
                })
            let products = [1, 2].map { client.futures.get("/products/\($0)", as: Product.self) }

            await clock.advance(by: .zero)
            for _ in products { try await network.next().answer(with: .status(401)) }
            await clock.advance(by: .seconds(2))
            for id in 1...2 {
                let call = try await network.next()
                #expect(call.headers["Authorization"] == "Bearer new")
                call.answer(with: .json(Product(id: id, name: "pen")))
            }
            await clock.advance(by: .zero)

            #expect(products.allSatisfy { (try? $0.settledValue().name) == "pen" })
            #expect(network.received.count == 4)
        }
    }
    // end snippet

    // snippet: pages
    /// The pages of a list, one each second, until an empty one.
    func pages(of client: HTTPClient) -> AsyncStream<[Product]> {
        AsyncStream { continuation in
            let loading = Task {
                for page in 1... {
                    let products: [Product]? = try? await client.get(
                        "/products", query: ["page": "\(page)"])
                    guard let products, !products.isEmpty else { break }
                    continuation.yield(products)
                    try await client.scheduler.clock.sleep(for: .seconds(1))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in loading.cancel() }
        }
    }

    @Test func readsAPageEachSecond() async {
        await withVirtualTime { clock in
            let (pen, ink) = (Product(id: 7, name: "pen"), Product(id: 8, name: "ink"))
            let shop = MemoryTransport(routes: [
                .get("/products", answer: .sequence([.json([pen]), .json([ink]), .text("[]")]))
            ])
            var client = HTTPClient(base: URL(string: "https://shop.example"), over: shop)
            client.scheduler = clock

            var read: [[Product]] = []
            for await page in pages(of: client) { read.append(page) }

            #expect(read == [[pen], [ink]])
            #expect(clock.now.offset == .seconds(2))
        }
    }
    // end snippet

    // snippet: screen
    @MainActor final class ProductScreen {
        private(set) var title = "…"
        private var loading: Task<Void, Never>?
        private let client: HTTPClient

        init(client: HTTPClient) { self.client = client }

        func appear() {
            loading = Task {
                let product: Product? = try? await client.get("/products/7")
                if !Task.isCancelled { title = product?.name ?? "Not loaded" }
            }
        }

        func disappear() { loading?.cancel() }
    }

    @Test @MainActor func leavingTheScreenCancelsTheCall() async throws {
        try await withVirtualTime { clock in
            let network = MockNetwork()
            var client = HTTPClient(base: URL(string: "https://shop.example"), over: network)
            client.scheduler = clock
            let screen = ProductScreen(client: client)
            screen.appear()
            let call = try await network.next()

            screen.disappear()
            await clock.advance(by: .zero)

            #expect(call.isCancelled)
            #expect(screen.title == "…")
        }
    }
    // end snippet

    // snippet: store
    @Test func theStoreSearchesWhenTheUserPauses() async {
        enum Event: Sendable { case typed(String), found([String]) }
        await withVirtualTime { clock in
            let store = Store<[String], Event>(
                initialState: [],
                reducer: Reducer { hits, event in
                    switch event {
                    case .typed(let words):
                        return .future {
                            try await clock.sleep(for: .milliseconds(300))
                            return .found(["\(words)o"])
                        }.id("search")
                    case .found(let found):
                        hits = found
                        return .none
                    }
                })

            store.dispatch(.typed("m"))
            await clock.advance(by: .milliseconds(200))
            store.dispatch(.typed("mom"))
            await clock.advance(by: .milliseconds(299))
            #expect(store.state.isEmpty)
            await clock.advance(by: .milliseconds(1))

            #expect(store.state == ["momo"])
        }
    }
    // end snippet
}
