import Foundation
import Pledge

func product(_ id: Int, from client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{a path is an Endpoint.Path without optionals}}
    try await client.get("/products/" + String(id))
}
