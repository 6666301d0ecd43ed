import Foundation
import Pledge

func name(of product: Future<Product>, by client: HTTPClient) -> Future<String> {
    // expected-error@+1 {{value of type 'Future<String>' to closure result type 'String'}}
    product.map { client.futures.get("/names/\($0.id)", as: String.self) }
}
