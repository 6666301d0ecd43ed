import Foundation
import Pledge

func create(_ product: Product, with client: HTTPClient) async throws -> Product {
    try await client.post("/products", json: ["name": product.name, "id": 7, "at": Date()])
}
