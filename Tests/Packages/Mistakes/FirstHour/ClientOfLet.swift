import Foundation
import Pledge

func client() -> HTTPClient {
    let client = HTTPClient(base: server)
    // expected-error@+1 {{'client' is a 'let' constant}}
    client.attemptTimeout = .seconds(5)
    return client
}
