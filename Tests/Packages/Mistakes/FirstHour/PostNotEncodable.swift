import Foundation
import Pledge

struct Draft: Sendable { var name = "" }
func create(_ draft: Draft, with client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{value of type 'Draft' to expected argument type 'JSONObject'}}
    try await client.post("/products", json: draft)
}
