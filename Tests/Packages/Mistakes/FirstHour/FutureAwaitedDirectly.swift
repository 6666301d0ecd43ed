import Foundation
import Pledge

func product(from client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{return expression of type 'Future<Product>' to return type 'Product'}}
    try await client.futures.get("/products/7", as: Product.self)
}
