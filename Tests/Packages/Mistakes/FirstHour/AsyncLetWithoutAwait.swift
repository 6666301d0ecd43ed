import Foundation
import Pledge

func both(_ client: HTTPClient) async throws -> [Product] {
    async let one: Product = client.get("/a")
    async let two: Product = client.get("/b")
    // expected-error@+1 {{is 'async' but is not marked with 'await'}}
    return [one, two]
}
