import Pledge

/// A product of the shop.
struct Product: Codable, Sendable {
    var id: Int
    var name: String
    var price: Int
}

extension Endpoint {
    static func product(withID id: Product.ID) -> Endpoint { Endpoint(path: "/products/\(id)") }
}

extension Product: Identifiable {}

/// The article's product loader: three functions in a chain make one, which loads a product.
func productLoading(over networking: @escaping Networking) -> @Sendable (Int) -> Future<Product> {
    chain(Endpoint.product, to: networking, to: Future.decoded)
}
