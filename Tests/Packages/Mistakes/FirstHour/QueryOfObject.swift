import Foundation
import Pledge

func product(like product: Product, from client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{value of type 'Product' to expected dictionary value type}}
    try await client.get("/products", query: ["like": product])
}
