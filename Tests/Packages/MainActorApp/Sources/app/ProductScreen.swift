import Pledge

// snippet: observe
/// A screen: the main actor's, without a word about it.
final class ProductScreen {
    private(set) var title = ""
    private let loading: () -> Future<Product>

    init(loading: @escaping () -> Future<Product>) {
        self.loading = loading
    }

    func appear() {
        loading().observe(on: MainActor.shared) { [weak self] result in
            switch result {
            case .success(let product): self?.title = product.name
            case .failure(let error): self?.title = "Not loaded: \(error)"
            }
        }
    }
}
// end snippet

extension ProductScreen {
    /// The same with async/await, which needs no other words.
    func load() async {
        do {
            title = try await loading().value.name
        } catch {
            title = "Not loaded: \(error)"
        }
    }
}
