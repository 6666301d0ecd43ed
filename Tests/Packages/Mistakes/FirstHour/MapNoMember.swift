import Foundation
import Pledge

func name(of product: Future<Product>) async throws -> String {
    // expected-error@+1 {{value of type 'Product' has no member 'nme'}}
    try await product.map { $0.nme }.value
}
