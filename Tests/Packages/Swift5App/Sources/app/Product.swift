import Foundation
import Pledge

struct Product: Codable {
    let id: Int
    let name: String
}

extension Endpoint {
    static func product(withID id: Int) -> Endpoint {
        Endpoint(path: "/products/\(id)", base: URL(string: "https://shop.example"))
    }
}

extension URLSession {
    var productNetworking: (Int) -> Future<Product> {
        let networking = chain(Endpoint.product, to: request)
        return chain(networking, to: Future.decoded(as: Product.self))
    }
}
