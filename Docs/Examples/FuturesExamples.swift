import Foundation
import Pledge
import Testing

/// The code of Docs/Guides/Futures.md, on making, observing and transforming futures.
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

    @Test func settling() throws {
        struct NoNumber: Error {}
        @Sendable func parse(_ text: String) throws -> Int {
            guard let number = Int(text) else { throw NoNumber() }
            return number
        }
        let (promise, shown) = (Promise<Int>(), Promise<Product>())
        // snippet: settle-with
        promise.settle(with: Result { try parse("42") })
        let parsed = Future(result: Result { try parse("4x2") })
        // end snippet
        #expect(try promise.result?.get() == 42)
        #expect(throws: NoNumber.self) { try parsed.result?.get() }
        // snippet: follow
        shown.follow(loadProduct(7))  // settles as the load does
        // end snippet
        #expect(try shown.result?.get().id == 7)
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
        let before = promise.result  // nil, and `isSettled` is false: it is pending
        promise.resolve(with: 7)
        let after = promise.result  // .success(7), and `isSettled` is true
        // end snippet
        #expect(before == nil)
        #expect(promise.isSettled)
        #expect(!Promise<Int>().isSettled)
        #expect(try! after?.get() == 7)
    }

    @Test func observation() {
        let log = ExampleLog()
        let promise = Promise<Product>()
        promise.onCancel { log.add("stopped") }
        let show: @Sendable (Result<Product, any Error>) -> Void = { _ in log.add("shown") }
        // snippet: observation
        let observation = promise.observation { result in show(result) }
        observation.cancel()  // the screen has gone: `show` is not called
        // end snippet
        #expect(!promise.resolve(with: Product(id: 7, name: "iPad")))
        #expect(log.lines == ["stopped"])
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

    @Test func wholeResults() async throws {
        let log = ExampleLog()
        let report: @Sendable (Result<Product, any Error>) -> Future<Void> = { _ in
            log.add("reported")
            return Future(value: ())
        }
        // snippet: whole-result
        let line = loadProduct(7).mapResult { result in
            (try? result.get().name) ?? "Not loaded"
        }
        let reported = loadProduct(7).flatMapResult { result in report(result) }
        // end snippet
        #expect(try await line.value == "Product 7")
        try await reported.value
        #expect(log.lines == ["reported"])
    }

    @Test func onAQueue() async throws {
        let queue = DispatchQueue(label: "images")
        let decode: @Sendable (Product) -> String = { product in
            dispatchPrecondition(condition: .onQueue(queue))
            return product.name
        }
        // snippet: map-on
        let image = loadProduct(7).map(on: queue) { product in decode(product) }
        // end snippet
        #expect(try await image.value == "Product 7")
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
