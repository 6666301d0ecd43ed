import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{type 'Retry?' has no member 'retry'}}
    client.retry = .retry(attempts: 5)
    return client
}
