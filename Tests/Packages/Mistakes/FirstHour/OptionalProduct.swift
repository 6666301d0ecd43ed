import Foundation
import Pledge

func name(of product: Product?, by client: HTTPClient) async throws -> HTTPResponse {
    // expected-error@+1 {{unwrap an optional, or give a default}}
    try await client.get("/products/\(product?.id)")
}
