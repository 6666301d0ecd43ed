import Foundation
import PledgeArticles

// The article's ProductLoader in each of its shapes. It shows them one after the other under one
// name; here each has a namespace.

/// "Futures & Promises": the session is injected.
// snippet: session
enum WithSession {
    class ProductLoader {
        private let urlSession: URLSession

        init(urlSession: URLSession = .shared) {
            self.urlSession = urlSession
        }

        func loadProduct(withID id: Product.ID) -> Future<Product> {
            let endpoint = Endpoint.product(withID: id)
            return urlSession.request(endpoint).decoded()
        }
    }
}
// end snippet

/// "A simple signature": a function is injected.
// snippet: function
enum WithFunction {
    class ProductLoader {
        private let networking: Networking

        init(networking: @escaping Networking = URLSession.shared.request) {
            self.networking = networking
        }

        func loadProduct(withID id: Product.ID) -> Future<Product> {
            let endpoint = Endpoint.product(withID: id)
            return networking(endpoint).decoded()
        }
    }
}
// end snippet

/// "Combining functions and values", "A functional chain" and "Currying".
// snippet: composition
enum WithComposition {
    class ProductLoader {
        private let networking: Networking

        init(networking: @escaping Networking = URLSession.shared.request) {
            self.networking = networking
        }

        func loadProductCombined(withID id: Product.ID) -> Future<Product> {
            let endpoint = Endpoint.product(withID: id)
            let networking = combine(endpoint, with: self.networking)

            // Our new networking function can now be called without
            // having to supply a product ID at the call site.
            return networking().decoded()
        }

        func loadProductChained(withID id: Product.ID) -> Future<Product> {
            let networking = chain(Endpoint.product, to: self.networking)
            return networking(id).decoded()
        }

        func loadProduct(withID id: Product.ID) -> Future<Product> {
            let networking = chain(Endpoint.product, to: self.networking)
            return chain(networking, to: Future.decoded)(id)
        }
    }
}
// end snippet

/// "A functional composition": no type is left.
// snippet: composed
typealias ProductLoading = @Sendable (Product.ID) -> Future<Product>

extension URLSession {
    var productNetworking: @Sendable (Product.ID) -> Future<Product> {
        let networking = chain(Endpoint.product, to: request)
        return chain(networking, to: Future.decoded)
    }
}
// end snippet
