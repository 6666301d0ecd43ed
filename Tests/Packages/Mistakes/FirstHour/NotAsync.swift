import Foundation
import Pledge

func product(from client: HTTPClient) throws -> Product {
    // expected-error@+1 {{'async' call in a function that does not support concurrency}}
    try client.get("/products/7")
}
