import Foundation
import Pledge

func product(_ fields: [String: String], from client: HTTPClient) async throws -> HTTPResponse {
    // expected-error@+1 {{value of type '[String : String]' to expected argument type 'HTTPHeaders'}}
    try await client.get("/products/7", headers: fields)
}
