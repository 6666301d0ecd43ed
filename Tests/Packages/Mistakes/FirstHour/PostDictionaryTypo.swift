import Foundation
import Pledge

func create(_ product: Product, with client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{value of type 'Product' has no member 'nam'}}
    try await client.post("/products", json: ["name": product.nam, "id": product.id])
}
