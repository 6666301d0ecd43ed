import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{value of type 'CircuitBreaker.Type'}}
    client.circuitBreaker = CircuitBreaker
    return client
}
