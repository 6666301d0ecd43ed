import Pledge

struct Product: Codable, Equatable, Sendable {
    var id = 7
    var name = "iPad Pro"
}

// snippet: main-actor-property
@MainActor final class ProductTitle {
    private(set) var title = ""

    func appear(loading: Future<Product>) {
        loading.onSuccess { product in self.title = product.name }
    }
}
// error: main actor-isolated property 'title' can not be mutated from a Sendable closure
// end snippet
