import Pledge

struct Product: Sendable {}

@MainActor
final class ProductScreen {
    let loading: () -> Future<Product> = { Future(value: Product()) }

    func render(_ product: Product) {}

    func appear() {
        // snippet: main-actor
        loading().observe { [weak self] result in
            if case .success(let product) = result { self?.render(product) }
        }
        // error: call to main actor-isolated instance method 'render' in a synchronous nonisolated context
        // end snippet
    }
}
