import Pledge

struct Product: Codable, Equatable, Sendable {
    var id = 7
    var name = "iPad Pro"
}

// snippet: own-actor
actor ProductNames {
    private var names: [String] = []

    func show(_ result: Result<Product, any Error>) {
        if case .success(let product) = result { names.append(product.name) }
    }

    func appear(loading: Future<Product>) {
        loading.observe(on: self) { result in print(result) }
    }
}
// error: 'observe(on:_:)' is unavailable: write `observe { result in Task { await self.show(result) } }`
// end snippet
