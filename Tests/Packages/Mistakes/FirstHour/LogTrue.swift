import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{value of type 'Bool' to type 'HTTPClient.Log'}}
    client.log = true
    return client
}
