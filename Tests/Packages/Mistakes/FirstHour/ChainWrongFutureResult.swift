import Foundation
import Pledge

func id(from client: HTTPClient) -> Future<Int> {
    client.futures.get("/a", as: Product.self)
        .flatMap { client.futures.get("/b/\($0.id)", as: Product.self) }
        // expected-error@+1 {{value of type 'String' to closure result type 'Int'}}
        .map { $0.name }
}
