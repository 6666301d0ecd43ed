import Foundation
import Pledge

func products(from client: HTTPClient) async throws -> [Product] {
    // expected-error@+1 {{value of type 'String' to expected argument type 'Endpoint.Query'}}
    try await client.get("/products", query: "page=2")
}
