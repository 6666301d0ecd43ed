import Pledge

/// A controller of the kind that a Swift 5 app has: no actor, no Sendable.
final class ProductController {
    private(set) var title = ""
    private let loading: () -> Future<Product>

    init(loading: @escaping () -> Future<Product>) {
        self.loading = loading
    }

    func appear() {
        loading().observe { [weak self] result in
            switch result {
            case .success(let product): self?.title = product.name
            case .failure(let error): self?.title = "Not loaded: \(error)"
            }
        }
    }
}
