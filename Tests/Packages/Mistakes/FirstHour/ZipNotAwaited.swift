import Foundation
import Pledge

func both(_ client: HTTPClient) async throws {
    let one = client.futures.get("/a", as: Product.self)
    let many = client.futures.get("/b", as: [Product].self)
    // expected-error@+1 {{value of type 'Future<(Product, [Product])>'}}
    let (product, products) = try await zip(one, many)
    print(product, products)
}
