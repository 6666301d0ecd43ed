import Foundation
import Pledge

func product(from client: HTTPClient) async throws -> HTTPResponse {
    // expected-error@+1 {{argument 'query' must precede argument 'headers'}}
    try await client.get("/products/7", headers: ["A": "b"], query: ["q": 1])
}
