import Foundation
import Pledge

func create(_ product: Product, with client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{extra argument 'body' in call}}
    try await client.post("/products", body: product)
}
