import Pledge

struct Product: Sendable {
    var name = ""
}

// snippet: main-actor
@MainActor final class ProductScreen {
    private(set) var title = ""

    func render(_ product: Product) { title = product.name }

    func appear(loading: Future<Product>) {
        loading.observe { [weak self] result in
            if case .success(let product) = result { self?.render(product) }
        }
    }
}
// error: call to main actor-isolated instance method 'render' in a synchronous nonisolated context
// end snippet
