import Foundation
import Pledge

func product(from client: HTTPClient) -> Future<Product> {
    // expected-error@+1 {{static member 'retry' cannot be used on instance of type 'Future<Product>'}}
    client.futures.get("/products/7", as: Product.self).retry(3)
}
