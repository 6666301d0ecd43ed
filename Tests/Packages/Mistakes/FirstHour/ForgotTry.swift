import Foundation
import Pledge

func product(from client: HTTPClient) async -> Product {
    // expected-error@+1 {{call can throw, but it is not marked with 'try'}}
    let product: Product = await client.get("/products/7")
    return product
}
