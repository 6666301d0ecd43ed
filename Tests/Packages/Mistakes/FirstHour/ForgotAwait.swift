import Foundation
import Pledge

func product(from client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{is 'async' but is not marked with 'await'}}
    try client.get("/products/7")
}
