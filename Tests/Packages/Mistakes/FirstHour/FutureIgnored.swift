import Foundation
import Pledge

func create(with client: HTTPClient) {
    // expected-error@+1 {{'async' call in a function that does not support concurrency}}
    client.post("/products", json: Product())
}
