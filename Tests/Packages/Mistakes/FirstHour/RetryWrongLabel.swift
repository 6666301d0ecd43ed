import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{(have 'maxAttempts:', expected 'attempts:')}}
    client.retry = .init(maxAttempts: 5)
    return client
}
