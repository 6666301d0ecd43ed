import Foundation
import Pledge

func name(from client: HTTPClient) async throws -> String {
    let a: Product = try await client.get("/a")
    // expected-error@+1 {{value of type 'Product' has no member 'idd'}}
    let b: Product = try await client.get("/b/\(a.idd)")
    return b.name
}
