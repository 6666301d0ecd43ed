import Foundation
import Pledge

func product(_ token: String?, from client: HTTPClient) async throws -> HTTPResponse {
    // expected-error@+1 {{value of type 'String?' to expected dictionary value type 'String'}}
    try await client.get("/products/7", headers: ["X-Token": token])
}
