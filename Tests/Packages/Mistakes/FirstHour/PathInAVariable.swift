import Foundation
import Pledge

func product(at path: String, from client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{a path is an Endpoint.Path without optionals}}
    try await client.get(path)
}
