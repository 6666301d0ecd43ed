import Foundation
import Pledge

func create(_ name: String?, with client: HTTPClient) async throws -> HTTPResponse {
    try await client.post("/products", json: ["name": name, "id": "7"])
}
