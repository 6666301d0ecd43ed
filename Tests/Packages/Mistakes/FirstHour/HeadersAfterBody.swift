import Foundation
import Pledge

func create(_ data: Data, with client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{argument 'headers' must precede argument 'json'}}
    try await client.post("/products", json: data, headers: ["A": "b"])
}
