import Foundation
import Pledge

struct Receipt: Sendable { var number = 0 }
func create(_ product: Product, with client: HTTPClient) async throws -> Receipt {
    // expected-error@+1 {{to return type 'Receipt'}}
    try await client.post("/products", json: product)
}
