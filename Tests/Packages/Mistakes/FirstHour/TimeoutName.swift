import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{set attemptTimeout for each attempt, or deadline}}
    client.timeout = .seconds(3)
    return client
}
