import Foundation
import Pledge

func name(from client: HTTPClient) async throws -> String {
    try await client.networking(Endpoint(path: "/a")).decoded(as: Product.self)
        // swift-fault: Swift does not look into the closure with the mistake, and names the link before it.
        // expected-error@+1 {{to closure result type 'Future<NewValue>'}}
        .flatMap { p in client.networking(Endpoint(path: "/b/\(p.id)")).decoded(as: Product.self) }
        .flatMap { p in client.networking(Endpoint(path: "/c/\(p.idd)")).decoded(as: Product.self) }
        .flatMap { p in client.networking(Endpoint(path: "/d/\(p.id)")).decoded(as: Product.self) }
        .map { p in p.name }.value
}
