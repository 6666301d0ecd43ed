import Foundation
import Pledge

func product(from client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{extra argument 'decoder' in call}}
    try await client.get("/products/7", decoder: JSONDecoder())
}
