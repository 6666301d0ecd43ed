import Foundation
import Pledge

func product(from client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{expected member name or initializer call after type name}}
    try await client.get("/products/7", as: Product)
}
