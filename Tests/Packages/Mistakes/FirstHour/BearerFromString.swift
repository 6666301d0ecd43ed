import Foundation
import Pledge

func client() -> HTTPClient {
    var client = HTTPClient(base: server)
    // expected-error@+1 {{value of type 'String' to type 'HTTPCredentials'}}
    client.authorization = "Bearer abc"
    return client
}
