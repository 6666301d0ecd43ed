import Foundation
import Pledge

struct Product: Codable, Equatable, Sendable {
    var id = 7
    var name = "iPad Pro"
}

// snippet: captured-client
func loadingProducts(from server: URL) -> @Sendable (Int) -> Future<Product> {
    var client = HTTPClient(base: server)
    client.deadline = .seconds(10)
    return { id in client.futures.get("/products/\(id)", as: Product.self) }
}
// error: reference to captured var 'client' in concurrently-executing code
// end snippet
