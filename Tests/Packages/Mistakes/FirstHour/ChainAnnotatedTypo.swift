import Foundation
import Pledge

func name(from client: HTTPClient) async throws -> String {
    try await client.futures.get("/a", as: Product.self)
        .flatMap { (p: Product) in client.futures.get("/b/\(p.id)", as: Product.self) }
        // expected-error@+1 {{value of type 'Product' has no member 'idd'}}
        .flatMap { (p: Product) in client.futures.get("/c/\(p.idd)", as: Product.self) }
        .flatMap { (p: Product) in client.futures.get("/d/\(p.id)", as: Product.self) }
        .flatMap { (p: Product) in client.futures.get("/e/\(p.id)", as: Product.self) }
        .map { (p: Product) in p.name }.value
}
