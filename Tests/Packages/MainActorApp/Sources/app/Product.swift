import Foundation
import Pledge

// snippet: nonisolated
nonisolated struct Product: Codable, Sendable {
    let id: Int
    let name: String
}

nonisolated extension Endpoint {
    static func product(withID id: Int) -> Endpoint {
        Endpoint(path: "/products/\(id)", base: URL(string: "https://shop.example"))
    }
}
// end snippet

nonisolated extension URLSession {
    var productNetworking: @Sendable (Int) -> Future<Product> {
        let networking = chain(Endpoint.product, to: request)
        return chain(networking, to: Future.decoded(as: Product.self))
    }
}
