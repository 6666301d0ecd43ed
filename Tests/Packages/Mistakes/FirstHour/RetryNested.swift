import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{must be unwrapped to refer to member 'attempts'}}
    client.retry.attempts = 5
    return client
}
