import Foundation
import Pledge
import Testing

/// The code of Docs/Guides/Futures.md, from making a future to combining several.
@Suite struct FuturesExamples {
    struct Product: Equatable, Sendable {
        var id: Int
        var name: String
        var price = 10
    }

    @Sendable static func loadProduct(_ id: Int) -> Future<Product> {
        Future(value: Product(id: id, name: "Product \(id)"))
    }

    @Sendable static func loadReviews(of product: Product) -> Future<[String]> {
        Future(value: ["\(product.name) is fine"])
    }

    private let loadProduct = Self.loadProduct
    private let loadReviews = Self.loadReviews(of:)

    /// A callback API, as there are many.
    final class Decoder: Sendable {
        func decode(_ text: String, completion: @escaping @Sendable (Int?) -> Void) {
            completion(Int(text))
        }
    }

    @Test func promise() {
        // snippet: promise
        let promise = Promise<String>()
        let greeting: Future<String> = promise

        promise.resolve(with: "Hello")  // true: it has settled now
        promise.resolve(with: "Again")  // false, and nothing happens
        // end snippet
        #expect(try! greeting.result?.get() == "Hello")
        #expect(!promise.reject(with: CancellationError()))
    }

    @Test func settled() async throws {
        let id = 7
        // snippet: settled
        let known = Future(value: 7)
        let failed = Future<Int>(error: URLError(.badURL))
        let computed = Future { try await loadProduct(id).value }
        // end snippet
        #expect(try known.result?.get() == 7)
        #expect(throws: URLError.self) { try failed.result?.get() }
        #expect(try await computed.value.id == 7)
    }

    @Test func make() async throws {
        let decoder = Decoder()
        // snippet: make
        let number = Future<Int>.make { resolver in
            decoder.decode("42") { number in
                if let number {
                    resolver.resolve(with: number)
                } else {
                    resolver.reject(with: CocoaError(.formatting))
                }
            }
        }
        // end snippet
        #expect(try await number.value == 42)
    }

    @Test func observe() async {
        let shown = Promise<String>()
        let show: @Sendable (String) -> Void = { shown.resolve(with: $0) }
        // snippet: observe
        loadProduct(7).observe { result in
            switch result {
            case .success(let product): show(product.name)
            case .failure(let error): show("Not loaded: \(error)")
            }
        }
        // end snippet
        #expect(try! shown.result?.get() == "Product 7")
    }

    @Test func observeElsewhere() async throws {
        let shown = Promise<String>()
        let label = await Label(shown)
        let queue = DispatchQueue(label: "images")
        let stored = Promise<Int>()
        let store: @Sendable (Result<Product, any Error>) -> Void = { result in
            stored.resolve(with: (try? result.get().id) ?? 0)
        }
        let future = loadProduct(7)
        // snippet: observe-on
        future.observe(on: MainActor.shared) { result in
            label.text = (try? result.get().name) ?? "Not loaded"
        }
        future.observe(on: queue) { result in store(result) }
        // end snippet
        #expect(try await shown.value == "Product 7")
        #expect(try await stored.value == 7)
    }

    @Test func result() {
        // snippet: result
        let promise = Promise<Int>()
        let before = promise.result  // nil: it is pending
        promise.resolve(with: 7)
        let after = promise.result  // .success(7)
        // end snippet
        #expect(before == nil)
        #expect(try! after?.get() == 7)
    }

    @Test func transform() async throws {
        // snippet: transform
        let name = loadProduct(7).map(\.name)
        let reviews = loadProduct(7).flatMap { product in loadReviews(product) }
        let cheap = loadProduct(7).filter { product in product.price < 100 }
        // end snippet
        #expect(try await name.value == "Product 7")
        #expect(try await reviews.value == ["Product 7 is fine"])
        #expect(try await cheap.value.price == 10)
    }

    @Test func combining() async throws {
        // snippet: zip
        let page = zip(loadProduct(7), Future(value: "EUR"))
            .map { product, currency in "\(product.name): \(product.price) \(currency)" }
        // end snippet
        #expect(try await page.value == "Product 7: 10 EUR")
        // snippet: all
        let products = Future.all([7, 8, 9].map(loadProduct))
        let whatEver = Future.allSettled([7, 8, 9].map(loadProduct))
        let firstSuccess = Future.any([loadProduct(7), loadProduct(8)])
        let firstResult = Future.race([loadProduct(7), loadProduct(8)])
        // end snippet
        #expect(try await products.value.map(\.id) == [7, 8, 9])
        #expect(try await whatEver.value.map { try $0.get().id } == [7, 8, 9])
        #expect(try await firstSuccess.value.id == 7)
        #expect(try await firstResult.value.id == 7)
    }

    @Test func traverse() async throws {
        let ids = Array(1...20)
        // snippet: traverse
        let products = Future.traverse(ids, maxConcurrent: 4) { id in loadProduct(id) }
        // end snippet
        #expect(try await products.value.map(\.id) == ids)
    }
}

extension FuturesExamples {
    /// A label that tells a test what it shows.
    @MainActor
    final class Label {
        private let shown: Promise<String>
        init(_ shown: Promise<String>) { self.shown = shown }
        var text = "" {
            didSet { shown.resolve(with: text) }
        }
    }
}
