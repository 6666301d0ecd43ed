import Foundation
import Pledge

func id(from client: HTTPClient) async throws -> Int {
    // swift-fault: Swift has no words for a wrong type at the end of a chain.
    // expected-error@+1 {{failed to produce diagnostic}}
    try await client.futures.get("/a", as: Product.self)
        .flatMap { client.futures.post("/b/\($0.id)", as: Product.self, json: $0) }
        .flatMap { client.futures.post("/c/\($0.id)", as: Product.self, json: $0) }
        .map { $0.name }.value
}
