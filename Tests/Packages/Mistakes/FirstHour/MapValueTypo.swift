import Foundation
import Pledge

func name(of product: Future<Product>) async throws -> String {
    // expected-error@+1 {{has no member 'vaule'}}
    try await product.map { $0.name }.vaule
}
