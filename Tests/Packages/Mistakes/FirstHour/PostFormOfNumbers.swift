import Foundation
import Pledge

func order(_ count: Int, with client: HTTPClient) async throws -> HTTPResponse {
    try await client.post("/orders", form: ["name": "x", "count": count, "gift": true])
}
