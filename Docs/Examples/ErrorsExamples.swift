import Foundation
import Pledge
import Testing

/// The code of Docs/Guides/Errors.md that compiles: what to write instead, and the run-time errors.
///
/// The mistakes that do not compile are in Tests/Packages/Mistakes.
@Suite struct ErrorsExamples {
    struct Product: Codable, Equatable, Sendable {
        var id = 7
        var name = "iPad Pro"
    }

    @MainActor
    final class ProductScreen {
        let shown = Promise<String>()
        let loading: () -> Future<Product> = { Future(value: Product()) }

        func render(_ product: Product) { shown.resolve(with: product.name) }

        func appear() {
            // snippet: main-actor
            loading().observe(on: MainActor.shared) { [weak self] result in
                if case .success(let product) = result { self?.render(product) }
            }
            // end snippet
        }
    }

    @Test func mainActor() async throws {
        let screen = await ProductScreen()
        await screen.appear()
        #expect(try await screen.shown.value == "iPad Pro")
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
        let price = Future(value: 10)
        // snippet: local-closure
        let format: @Sendable (Int) -> String = { price in "\(price) EUR" }
        let text = price.map(format)
        // end snippet
        #expect(try await text.value == "10 EUR")
    }

    @Test func capturedVariable() async throws {
        let futures = [1, 2, 3].map { Future(value: $0) }
        // snippet: captured-var
        let sum = Future.all(futures).map { values in values.reduce(0, +) }
        // end snippet
        #expect(try await sum.value == 6)
    }

    @Test func inference() async throws {
        let networking: Networking = { _ in Future(value: Data(#"{"id":7,"name":"iPad"}"#.utf8)) }
        // snippet: typed
        let load: @Sendable (Endpoint) -> Future<Product> = chain(networking, to: Future.decoded)
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
