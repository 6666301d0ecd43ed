import Foundation
import Pledge

struct Product: Codable, Equatable, Sendable {
    var id = 7
    var name = "iPad Pro"
}

// snippet: await-in-map
func label(of product: Future<Product>, by client: HTTPClient) -> Future<String> {
    product.map { product in
        let data = try await client.networking(Endpoint(path: "/labels/\(product.id)")).value
        return String(decoding: data, as: UTF8.self)
    }
}
// error: cannot pass function of type '@Sendable (Product) async throws -> String' to parameter expecting synchronous function type
// end snippet
