import Foundation
import PledgeArticles

/// The article's controller, without UIKit.
// snippet: controller
@MainActor
class ProductViewController {
    typealias Loading = () -> Future<Product>

    private let loading: Loading
    private(set) var rendered: [String] = []

    init(loading: @escaping Loading) {
        self.loading = loading
    }

    func viewWillAppear(_ animated: Bool) {
        // To load the view controller's product, we now
        // simply have to call the injected closure, and
        // observe the returned future.
        loading().observe(on: MainActor.shared) { [weak self] result in
            switch result {
            case .success(let product):
                self?.render(product)
            case .failure(let error):
                self?.handle(error)
            }
        }
    }

    private func render(_ product: Product) { rendered.append(product.name) }

    private func handle(_ error: any Error) { rendered.append("\(error)") }
}
// end snippet

// snippet: makeController
@MainActor
func makeProductViewController(forID id: Product.ID) -> ProductViewController {
    let networking = combine(id, with: URLSession.shared.productNetworking)
    return ProductViewController(loading: networking)
}
// end snippet
