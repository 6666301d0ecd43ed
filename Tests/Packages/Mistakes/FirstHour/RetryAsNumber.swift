import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{value of type 'Int' to type 'Retry'}}
    client.retry = 5
    return client
}
