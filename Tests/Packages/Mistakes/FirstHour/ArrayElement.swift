import Foundation
import Pledge

func products(from client: HTTPClient) async throws -> [Product] {
    // expected-error@+1 {{return expression of type 'Product' to return type '[Product]'}}
    try await client.get("/products", as: Product.self)
}
