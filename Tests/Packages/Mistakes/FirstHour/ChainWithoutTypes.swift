import Foundation
import Pledge

func name(from client: HTTPClient) async throws -> String {
    try await client.futures.get("/a")
        // expected-error@+1 {{value of type 'HTTPResponse' has no member 'id'}}
        .flatMap { p in client.futures.get("/b/\(p.id)") }
        .flatMap { p in client.futures.get("/c/\(p.id)") }
        .map { (p: Product) in p.name }.value
}
