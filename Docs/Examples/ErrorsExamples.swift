// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Guides/Errors.md that compiles: what to write instead, and the run-time errors.
///
/// The mistakes that do not compile are in Tests/Packages/Mistakes.
@Suite struct ErrorsExamples {
    // snippet: product
    struct Product: Codable, Equatable, Sendable {
        var id = 7
        var name = "iPad Pro"
    }
    // end snippet

    // snippet: main-actor
    @MainActor final class ProductScreen {
        private(set) var title = ""

        func render(_ product: Product) { title = product.name }

        func appear(loading: Future<Product>) {
            loading.observe(on: MainActor.shared) { [weak self] result in
                if case .success(let product) = result { self?.render(product) }
            }
        }
    }
    // end snippet

    @Test @MainActor func mainActor() async throws {
        let (screen, product, done) = (ProductScreen(), Future(value: Product()), Promise<Void>())
        screen.appear(loading: product)
        product.observe(on: MainActor.shared) { _ in done.resolve() }
        try await done.value
        #expect(screen.title == "iPad Pro")
    }

    // snippet: sendable
    struct Cart: Sendable {
        var items: [Int] = []
    }

    func loadCart() -> Future<Cart> {
        Future(value: Cart(items: [7]))
    }
    // end snippet

    @Test func sendable() async throws {
        #expect(try await loadCart().value.items == [7])
    }

    @Test func localClosure() async throws {
        // snippet: local-closure
        let price = Future(value: 10)
        let format: @Sendable (Int) -> String = { price in "\(price) EUR" }
        let text = price.map(format)
        // end snippet
        #expect(try await text.value == "10 EUR")
    }

    @Test func capturedVariable() async throws {
        // snippet: captured-var
        let futures = [1, 2, 3].map { Future(value: $0) }
        let sum = Future.all(futures).map { values in values.reduce(0, +) }
        // end snippet
        #expect(try await sum.value == 6)
    }

    @Test func inference() async throws {
        // snippet: typed
        let networking: Networking = { _ in Future(value: Data(#"{"id":7,"name":"iPad"}"#.utf8)) }
        let load = chain(networking, to: Future.decoded(as: Product.self))
        // end snippet
        #expect(try await load(Endpoint(path: "/")).value.name == "iPad")
    }

    @Test func asyncOperation() async throws {
        // snippet: async
        let number = Future { await Task { 7 }.value }
        // end snippet
        #expect(try await number.value == 7)
    }
}
