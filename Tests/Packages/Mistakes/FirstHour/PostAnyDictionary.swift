import Foundation
import Pledge

func create(with client: HTTPClient) async throws -> HTTPResponse {
    // expected-error@+1 {{value of type '[String : Any]' to expected argument type 'JSONObject'}}
    try await client.post("/products", json: ["name": "x", "id": 7] as [String: Any])
}
