import Foundation
import Pledge

func name(_ id: Int, from client: HTTPClient) async throws -> String {
    let product = try await client.get("/products/\(id)")
    // expected-error@+1 {{value of type 'HTTPResponse' has no member 'name'}}
    return product.name
}
