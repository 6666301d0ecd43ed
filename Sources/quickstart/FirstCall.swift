import Foundation
import Pledge

/// Loads a product of a shop that is busy at first.
///
/// Without `random` the client would wait for up to a tenth of a second before it repeats the call.
func makeFirstCall() async throws {
    print("A product of a shop that is busy at first:")
    let shop = MemoryTransport(routes: [
        .get(
            "/products/:id",
            answer: .sequence([.status(503), .json(Product(id: 7, name: "iPad Pro", price: 999))]))
    ])
    var client = HTTPClient(base: URL(string: "https://shop.example")!, over: shop)
    client.random = .constant(0)

    let product: Product = try await client.get("/products/\(7)")
    print(
        "  \(product.name) costs \(product.price) €, after \(shop.calls.count) requests: a 503, and a 200."
    )
}
