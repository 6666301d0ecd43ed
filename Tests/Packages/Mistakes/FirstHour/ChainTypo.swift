import Foundation
import Pledge

func name(from client: HTTPClient) async throws -> String {
    try await client.futures.get("/a", as: Product.self)
        // swift-fault: Swift does not look into the closure with the mistake, and names the link before it.
        // expected-error@+1 {{to closure result type 'Future<NewValue>'}}
        .flatMap { client.futures.get("/b/\($0.id)", as: Product.self) }
        .flatMap { client.futures.get("/c/\($0.idd)", as: Product.self) }
        .flatMap { client.futures.get("/d/\($0.id)", as: Product.self) }
        .flatMap { client.futures.get("/e/\($0.id)", as: Product.self) }
        .map { $0.name }.value
}
