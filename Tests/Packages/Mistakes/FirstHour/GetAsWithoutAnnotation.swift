import Foundation
import Pledge

func product(from client: HTTPClient) async throws -> Product {
    let product = try await client.get("/products/7", as: Product.self)
    return product
}
