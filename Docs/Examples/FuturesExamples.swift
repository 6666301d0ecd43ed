// snippet: imports
import Foundation
import Pledge
// end snippet
import TestSupport
import Testing

/// The code of Docs/Guides/Futures.md, on making, observing and transforming futures.
@Suite(.oneAtATime) struct FuturesExamples {
    // snippet: load
    struct Product: Equatable, Sendable {
        var id: Int
        var name: String
        var price = 10
    }

    let loadProduct: @Sendable (Int) -> Future<Product> = { id in
        Future(value: Product(id: id, name: "Product \(id)"))
    }
    let loadReviews: @Sendable (Product) -> Future<[String]> = { product in
        Future(value: ["\(product.name) is fine"])
    }
    // end snippet

    @Test func make() async throws {
        // snippet: make
        /// A callback API, as there are many.
        final class Decoder: Sendable {
            func decode(_ text: String, completion: @escaping @Sendable (Int?) -> Void) {
                completion(Int(text))
            }
        }

        let decoder = Decoder()
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
        // snippet: settle-with
        let parse = { (text: String) in
            try JSONDecoder().decode(Int.self, from: Data(text.utf8))
        }
        let promise = Promise<Int>()
        promise.settle(with: Result { try parse("42") })
        let parsed = Future(result: Result { try parse("4x2") })
        // end snippet
        #expect(try promise.result?.get() == 42)
        #expect(throws: DecodingError.self) { try parsed.result?.get() }
        // snippet: follow
        let shown = Promise<Product>()
        shown.follow(loadProduct(7))  // settles as the load does
        // end snippet
        #expect(try shown.result?.get().id == 7)
    }

    @Test func settled() async throws {
        // snippet: settled
        let known = Future(value: 7)
        let failed = Future<Int>(error: URLError(.badURL))
        let computed = Future { try await loadProduct(7).value }
        // end snippet
        #expect(try known.result?.get() == 7)
        #expect(throws: URLError.self) { try failed.result?.get() }
        #expect(try await computed.value.id == 7)
    }

    @Test func observe() async {
        let shown = Promise<String>()
        let print: @Sendable (String) -> Void = { shown.resolve(with: $0) }
        // snippet: observe
        loadProduct(7).observe { result in
            switch result {
            case .success(let product): print(product.name)
            case .failure(let error): print("Not loaded: \(error)")
            }
        }
        // end snippet
        #expect(try! shown.result?.get() == "Product 7")
    }

    @Test @MainActor func observeElsewhere() async throws {
        let shown = Promise<Void>()
        // snippet: observe-on
        @MainActor final class Label {
            var text = ""
        }

        let label = Label()
        let future = loadProduct(7)
        future.observe(on: MainActor.shared) { result in
            label.text = (try? result.get().name) ?? "Not loaded"
        }
        // end snippet
        future.observe(on: MainActor.shared) { _ in shown.resolve() }
        try await shown.value
        #expect(label.text == "Product 7")
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

    @Test func token() {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: token
        let promise = Promise<Product>()
        promise.onCancel { print("stopped") }

        let token = promise.observe { result in print("\(result)") }
        token.cancel()  // the screen has gone: `result` is not printed
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
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: whole-result
        let report = { @Sendable (result: Result<Product, any Error>) in
            print("\(result)")
            return Future(value: ())
        }
        let reported = loadProduct(7).flatMapResult { result in report(result) }
        // end snippet
        try await reported.value
        #expect(log.lines.count == 1)
    }

    @Test func onAQueue() async throws {
        // snippet: map-on
        let queue = DispatchQueue(label: "images")
        let image = loadProduct(7).map(on: queue) { product in
            dispatchPrecondition(condition: .onQueue(queue))
            return product.name
        }
        // end snippet
        #expect(try await image.value == "Product 7")
    }

    @MainActor
    @Test func onTheMainActor() async throws {
        @MainActor final class Label {
            var text = ""
        }
        let label = Label()
        // snippet: flat-map-main
        let shown = loadProduct(7).then { @MainActor product in
            label.text = product.name
        }
        // end snippet
        try await shown.value
        #expect(label.text == "Product 7")
    }
}
