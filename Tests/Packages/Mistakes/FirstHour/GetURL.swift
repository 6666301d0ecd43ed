import Foundation
import Pledge

func product(at url: URL, from client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{value of type 'URL' to expected argument type 'Endpoint.Path'}}
    try await client.get(url)
}
